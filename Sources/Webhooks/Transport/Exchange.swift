import CCurl
import HTTPTransport
import Glibc

/// One attempt: a libcurl easy handle and what its callbacks point into.
///
/// A handle is not used again. Up to libcurl 8.1.1 one that is has a pointer left to the fields of the response before,
/// which are freed: an answer whose first field is folded was added to those (curl #11101), so any endpoint could end the
/// hub, or worse. Connections are the multi handle's, and are kept.
///
/// Lives on the transport thread only. libcurl holds its address (`CURLOPT_PRIVATE` and the callbacks' data) without
/// owning it, which is sound because ``TransportLoop`` keeps an exchange alive until it has taken the handle out of the
/// multi handle, and callbacks run only inside calls on that handle.
@safe
final class Exchange {
    private var easy: EasyHandle
    let options: TransportOptions

    /// The attempt being made.
    let request: TransportRequest?

    /// What it is in the trace of its event; nil if it is no delivery.
    private(set) var trace: AttemptTrace?

    /// How long the body of the response may be, and how much of it is kept.
    let maxResponseLength: Int
    let keptResponseLength: Int

    /// Whether the head of the response has arrived to its end; libcurl tells the status of one that is cut short, too.
    var isHeadComplete = false
    var responseLength = 0
    var responsePrefix: [UInt8] = []
    /// The guard's reason for the last address it refused.
    var refusal: String?
    /// Whether any address was dialled.
    var hasDialled = false
    /// Why there was no socket to dial an address with, if it was for want of something.
    var socketError: Int32?
    /// The address that was dialled last (`sockaddr`).
    var lastAddress: [UInt8] = []

    /// Readies a handle for a request. Fails only when libcurl is out of memory.
    ///
    /// - Parameters:
    ///   - request: nil for none that is known here.
    ///   - now: by the store's time.
    ///   - timeOfDay: milliseconds since 1970; the attempt's timestamp.
    init?(_ request: TransportRequest?, options: TransportOptions, now: Int64, timeOfDay: Int64) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        self.options = options
        self.request = request
        if case .fetch(let length) = request?.purpose {
            (maxResponseLength, keptResponseLength) = (length, length)
        } else {
            (maxResponseLength, keptResponseLength) = (options.maxResponseLength, options.responsePrefixLength)
        }
        configure()
        if let request { prepare(request, now: now, timeOfDay: timeOfDay) }
    }

    deinit {
        trace?.end(nil)
    }

    var handle: UnsafeMutableRawPointer { unsafe easy.pointer }

    /// Options that are the same for every attempt.
    private func configure() {
        let me = unsafe easy.serve(self, write: Self.writeFunction, header: Self.headerFunction)
        unsafe clarion_easy_set_open_socket_function(handle, Self.openSocketFunction)
        unsafe clarion_easy_set_pointer(handle, CURLOPT_OPENSOCKETDATA, me)

        // An empty proxy also silences the environment's (CURLOPT_PROXY(3)), an empty list its exceptions.
        easy.set(CURLOPT_PROXY, options.proxy?.url ?? "")
        easy.set(CURLOPT_NOPROXY, "")
        easy.set(CURLOPT_PROTOCOLS_STR, options.httpsOnly ? "https" : "http,https")
        easy.set(CURLOPT_USERAGENT, options.userAgent)
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout)
        easy.set(CURLOPT_TIMEOUT_MS, options.totalTimeout)
        // No alarm(2), no signal handlers: there are other threads.
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Without it a name lookup that outlasts its timeout is joined, which would halt this thread and every other
        // attempt with it. With it the resolver thread is left to end by itself (CURLOPT_QUICK_EXIT(3), curl #9147).
        easy.set(CURLOPT_QUICK_EXIT, 1)
        configureAuthorities()
    }

    /// One file of authorities, the operator's or the system's, and no folder: a folder would be trusted beside the file,
    /// and would keep libcurl from caching what it has read (CURLOPT_CA_CACHE_TIMEOUT(3)). Without the cache each
    /// connection costs this thread about 15 ms, and an endpoint whose TLS fails takes that from all others.
    private func configureAuthorities() {
        guard options.certificateAuthorities != nil || Self.hasAuthorities else { return }
        for (bundle, folder) in [(CURLOPT_CAINFO, CURLOPT_CAPATH), (CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH)] {
            if let file = options.certificateAuthorities { easy.set(bundle, file) }
            easy.set(folder, nil)
        }
    }

    /// Whether libcurl knows a file of the system's authorities.
    private static let hasAuthorities = unsafe clarion_authorities() != nil

    private func prepare(_ request: TransportRequest, now: Int64, timeOfDay: Int64) {
        easy.set(CURLOPT_URL, request.target.endpoint.url.description)
        // HTTP/2 over TLS where it is offered. See Target.isMultiplexed.
        let version = request.target.isMultiplexed(at: now) ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        easy.set(CURLOPT_HTTP_VERSION, Int(version))
        switch request.purpose {
        case .delivery: prepareDelivery(request, now: now, timestamp: timeOfDay / 1000)
        case .handshake(let origin): prepareHandshake(request, origin: origin)
        case .fetch: easy.set(CURLOPT_HTTPGET, 1)
        }
    }

    /// An `OPTIONS` without a body.
    private func prepareHandshake(_ request: TransportRequest, origin: String) {
        easy.lines.append("WebHook-Request-Origin", origin)
        easy.lines.append(lines: request.target.customLines)
        easy.setLines()
        easy.set(CURLOPT_HTTPGET, 1)
        easy.set(CURLOPT_CUSTOMREQUEST, "OPTIONS")
    }

    private func prepareDelivery(_ request: TransportRequest, now: Int64, timestamp: Int64) {
        fillHeader(request, now: now, timestamp: timestamp)
        easy.setLines()
        easy.post(request.delivery.body)
    }

    private func fillHeader(_ request: TransportRequest, now: Int64, timestamp: Int64) {
        let delivery = request.delivery
        easy.lines.append("webhook-id", delivery.eventID)
        easy.lines.append("webhook-timestamp", String(timestamp))
        let signature = WebhookSignature.header(
            id: delivery.eventID,
            timestamp: timestamp,
            body: delivery.body,
            signers: request.target.signers(at: now)
        )
        easy.lines.append("webhook-signature", signature)
        if let contentType = delivery.contentType, !contentType.isEmpty {
            easy.lines.append("Content-Type", contentType)
        } else {
            // libcurl would call it a form.
            easy.lines.suppress("Content-Type")
        }
        easy.lines.append("Clarion-Topic", delivery.topic)
        if let type = delivery.type, !type.isEmpty { easy.lines.append("Event-Type", type, encodingPercent: true) }
        easy.lines.append("Clarion-Attempt", String(delivery.attempts + 1))
        easy.lines.append("Clarion-Hop", String(delivery.hops))
        let trace = AttemptTrace(of: request, tracer: options.tracer)
        for field in trace.fields { easy.lines.append(field.name, field.value) }
        self.trace = trace
        // A body is always sent at once: waiting for "100 Continue" costs a second at receivers that do not know it.
        easy.lines.suppress("Expect")
        for header in delivery.headers { easy.lines.append(header.name, header.value) }
        easy.lines.append(lines: request.target.customLines)
    }

    /// Ends its part of the trace.
    func endTrace(_ answer: AttemptAnswer) {
        trace?.end(answer)
        trace = nil
    }

    func failureText(_ code: CURLcode) -> String { easy.failureText(code) }
}
