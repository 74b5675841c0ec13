import HTTPTransport

/// One attempt: a libcurl easy handle, and what comes of it.
///
/// A handle is not used again. Up to libcurl 8.1.1 one that is has a pointer left to the fields of the response before,
/// which are freed: an answer whose first field is folded was added to those (curl #11101), so any endpoint could end the
/// hub, or worse. Connections are the multi handle's, and are kept.
///
/// Lives on its transport's thread only. ``TransportLoop`` keeps it until it has taken the handle out of the multi handle.
final class Transfer {
    private(set) var easy: EasyHandle
    let options: TransportOptions
    let store: any DeliveryStore

    let request: TransportRequest

    /// What it is in the trace of its event; nil if it is no delivery.
    var trace: AttemptTrace?

    /// How long the body of the response may be, and how much of it is kept.
    let maxResponseLength: Int
    let keptResponseLength: Int

    /// Whether the head of the response has arrived to its end; libcurl reports the status of one that is cut short, too.
    var isHeadComplete = false
    var responseLength = 0
    var responsePrefix: [UInt8] = []
    /// Whether it was not sent, because the delivery is not to be made here any more.
    var isWithdrawn = false
    /// The guard's reason for the last address it refused.
    var refusal: String?
    /// Why there was no socket to dial an address with, if it was for want of something.
    var socketError: Int32?
    /// The address that was dialled last (`sockaddr`); empty if none was.
    var lastAddress: [UInt8] = []

    /// Readies a handle for a request. Fails only when libcurl is out of memory.
    ///
    /// - Parameter template: has the options that are the same for every attempt: see ``TransportOptions/template()``.
    init?(
        _ request: TransportRequest,
        options: TransportOptions,
        _ store: any DeliveryStore,
        like template: borrowing EasyHandle,
        now: Int64,
        timeOfDay: Int64
    ) {
        guard let easy = EasyHandle(copying: template) else { return nil }
        self.easy = easy
        self.options = options
        self.store = store
        self.request = request
        if case .fetch(let length) = request.purpose {
            (maxResponseLength, keptResponseLength) = (length, length)
        } else {
            maxResponseLength = options.configuration.maxResponseLength
            keptResponseLength = min(max(options.configuration.responsePrefixLength, 0), Int(Int32.max))
        }
        self.easy.serve(self)
        prepare(now: now, timestamp: timeOfDay / 1000)
    }

    deinit {
        trace?.end(nil)
    }

    private func prepare(now: Int64, timestamp: Int64) {
        let url = request.destination.endpoint.url
        easy.setURL(url.description)
        // libcurl takes the brackets of an IPv6 address from what a kept connection to a proxy was made for (7.88).
        if options.configuration.proxy != nil { easy.lines.append("Host", url.authority) }
        switch request.purpose {
        case .delivery, .test:
            sign(now: now, timestamp: timestamp)
            easy.setLines()
        case .handshake(let origin):
            easy.lines.append("WebHook-Request-Origin", origin)
            easy.lines.append(lines: request.destination.customLines)
            easy.setLines()
            easy.setMethod("OPTIONS")
        case .fetch:
            easy.setLines()
            easy.setMethod("GET")
        }
    }

    private func sign(now: Int64, timestamp: Int64) {
        let delivery = request.delivery
        easy.lines.append("webhook-id", delivery.eventID)
        let timestamp = String(timestamp)
        easy.lines.append("webhook-timestamp", timestamp)
        let secrets = request.destination.endpoint.secrets.valid(at: now)
        // In one piece: each operator allocates a text of its own.
        var prefix = ""
        prefix.reserveCapacity(delivery.eventID.utf8.count + timestamp.utf8.count + 2)
        prefix += delivery.eventID
        prefix += "."
        prefix += timestamp
        prefix += "."
        let signature = unsafe easy.post(delivery.body, after: prefix) { unsafe secrets.signatures(over: $0) }
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
        let trace = AttemptTrace(of: request, tracer: options.configuration.tracer)
        for field in trace.fields { easy.lines.append(field.name, field.value) }
        self.trace = trace
        // A body is always sent at once: waiting for "100 Continue" costs a second at receivers that do not know it.
        easy.lines.suppress("Expect")
        for header in delivery.headers { easy.lines.append(header.name, header.value) }
        easy.lines.append(lines: request.destination.customLines)
    }
}
