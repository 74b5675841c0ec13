import Notation
import CCurl
import Posix

/// One request and its answer as it comes: a libcurl easy handle and what its callbacks point into.
///
/// After it was made it lives on the transport thread only. libcurl holds its address without owning it, which is sound
/// because ``HTTPLoop`` keeps it until it has taken the handle out of the multi handle, and callbacks run only inside
/// calls on that handle.
/// `@unchecked Sendable`: it is handed to that thread once, by a queue with a lock; others touch the buffer alone.
@safe
final class Download: TransferOwner, @unchecked Sendable {
    private(set) var easy: EasyHandle
    let buffer = ResponseBuffer()
    private var heads = HTTPHeadReader()
    private var hasHead = false
    /// What is still to be sent.
    private var body: ArraySlice<UInt8> = []

    /// Fails only when libcurl is out of memory.
    init?(_ request: HTTPRequest, options: HTTPOptions) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        connect()
        configure(options)
        prepare(request)
    }

    /// Has libcurl call back.
    private func connect() {
        easy.serve(self)
        unsafe clarion_easy_set_read_function(easy.pointer, Self.readFunction)
        unsafe clarion_easy_set_pointer(easy.pointer, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    private func configure(_ options: HTTPOptions) {
        easy.identify(as: options.userAgent)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Self.bounded(options.connectTimeout.milliseconds))
        // Fewer than one byte a second for so long is a server that is gone; a pause of ours does not count.
        easy.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        easy.set(CURLOPT_LOW_SPEED_TIME, Self.bounded(options.silenceLimit.milliseconds / 1_000))
        // Below the 75 s after which a hub closes connections that are idle.
        easy.set(CURLOPT_MAXAGE_CONN, 50)
        // A topic may be called "a/../b".
        easy.set(CURLOPT_PATH_AS_IS, 1)
        if let authorities = options.certificateAuthorities { easy.setAuthorities(authorities) }
    }

    /// What libcurl can count to, for what is meant to be no limit.
    private static func bounded(_ number: Int64) -> Int { Int(min(max(number, 0), Int64(Int32.max) / 1_000)) }

    private func prepare(_ request: HTTPRequest) {
        easy.setURL(request.url)
        if request.isDirect { easy.set(CURLOPT_PROXY, "") }
        if let body = request.body {
            // Sent by a callback that cannot begin anew: libcurl repeats nothing by itself that has been sent in part.
            self.body = body[...]
            easy.set(CURLOPT_POST, 1)
            unsafe clarion_easy_set_offset(easy.pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        } else {
            easy.set(CURLOPT_HTTPGET, 1)
        }
        if request.method == "HEAD" {
            easy.set(CURLOPT_NOBODY, 1)
        } else {
            easy.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        for (name, value) in request.headers { easy.lines.append(name, value) }
        // libcurl would call it a form.
        let saysType = request.headers.contains { $0.name.utf8.isEqual(to: "content-type") }
        if !saysType { easy.lines.suppress("Content-Type") }
        easy.lines.suppress("Expect")
        easy.setLines()
    }

    // On the transport thread

    /// Takes in that the transfer has ended.
    func end(_ ending: TransferEnding) {
        if case .complete = ending.kind, hasHead { return buffer.end(.success(())) }
        buffer.end(.failure(HTTPFailure(hasHead ? .interrupted : kind(ending), ending.text)))
    }

    /// Why there is no head.
    private func kind(_ ending: TransferEnding) -> HTTPFailure.Kind {
        switch ending.kind {
        case .unsecured(byCertificate: true): .untrusted
        // Without descriptors no file can be read.
        case .unreadableAuthorities: SystemLimits.areFilesShort ? .unreachable : .untrusted
        case .oversized: .tooLong
        // A line that is too long, unless nothing has been asked yet.
        case .outOfMemory where easy.time(to: .sent) != nil: .tooLong
        default: .unreachable
        }
    }

    /// Goes on after a pause.
    func goOn() {
        unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }

    /// Also of heads before the last one and of trailers.
    func receive(line: UnsafeRawBufferPointer) {
        guard !hasHead, let head = unsafe heads.take(line) else { return }
        hasHead = true
        buffer.take(head)
    }

    /// What is not taken comes again after the pause.
    func receive(body: UnsafeRawBufferPointer) -> BodyAnswer {
        buffer.take(unsafe Array(body)) ? .taken : .later
    }

    /// `CURLOPT_READFUNCTION(3)`
    private nonisolated static let readFunction: curl_read_callback = { buffer, size, count, pointer in
        guard let pointer = unsafe pointer, let buffer = unsafe buffer else { return 0 }
        let download = unsafe Unmanaged<Download>.fromOpaque(pointer).takeUnretainedValue()
        let piece = download.body.prefix(size * count)
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size * count).copyBytes(from: piece)
        download.body = download.body.dropFirst(piece.count)
        return piece.count
    }
}
