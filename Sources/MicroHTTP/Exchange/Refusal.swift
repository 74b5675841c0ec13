import CMicroHTTPD
import Glibc

/// Answers in libmicrohttpd's place what it would refuse by itself.
///
/// Its own answers are HTML, and where a `Content-Length` is bad version 0.9.75 sends the head twice. It says in its log
/// what it is about to refuse, on the thread and at the moment it does. A problem document goes to the socket then, and
/// the socket is shut: what libmicrohttpd sends after it goes nowhere, and it closes the connection.
///
/// The log names no connection, so this is done only where a single one can be meant, and only for so many connections in a
/// while: they are all looked at, each by a system call, and a stranger decides how often. Otherwise the answer is
/// libmicrohttpd's.
enum Refusal {
    /// The status that a line of libmicrohttpd's log says it is going to answer with.
    static func status(in line: String) -> Int? {
        guard line.hasPrefix("Error processing request"), let code = line.split(separator: "code is ").last else {
            return nil
        }
        return Int(code.prefix { $0.isASCII && $0.isNumber })
    }

    /// How many connections may be looked at between two ticks of ``ConnectionWatch``: it takes a twentieth of a processor.
    static let looksPerTick = 16_384

    /// The connection that a loop refuses a request on.
    ///
    /// - Parameters:
    ///   - status: what it is going to answer with.
    ///   - current: the connection whose request line was read last.
    ///   - table: the loop's connections.
    ///   - looks: how many may still be looked at until the next tick.
    static func connection(
        of status: Int,
        current: Connection?,
        in table: ConnectionTable,
        looks: inout Int
    ) -> Connection? {
        // A head that was read to its end, but of which no handler has heard, is in the middle of being looked at.
        if let current, current.hasUnseenHead { return current }
        guard table.count <= looks else { return nil }
        looks -= table.count
        if let unseen = table.all.first(where: \.hasUnseenHead) { return unseen }
        // What lies behind a request that is complete was read with it.
        let last = table.all.filter { $0.session != nil }.max { $0.lastTouch < $1.lastTouch }
        let candidates = table.all.filter { ($0.isInRequest || $0 === last) && $0.stage.canMeet(status) }
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// Sends the problem that stands for libmicrohttpd's refusal, and shuts the socket.
    static func send(_ status: Int, to connection: Connection, readsAway: Bool = true, loop: EventLoop) {
        let (problem, id) = (problem(status, stage: connection.stage), RequestID.next())
        send(problem, to: connection, readsAway: readsAway, id: id, loop: loop)
        loop.core.served(ServedRequest(id: id, method: nil, status: problem.status, problem: problem.code))
    }

    /// Sends a problem where libmicrohttpd takes no response, and shuts the socket. Whoever calls tells of it.
    ///
    /// - Parameter readsAway: whether libmicrohttpd closes the connection by itself.
    static func send(
        _ problem: Problem,
        to connection: Connection,
        hasBody: Bool = true,
        readsAway: Bool = true,
        fields: [(name: String, value: String)] = [],
        id: String,
        loop: EventLoop
    ) {
        var response = problem.response(instance: id)
        response.headers += fields
        response.leadProblem(below: loop.core.configuration.publicURL)
        let bytes = response.bytes(serverName: loop.core.configuration.serverName, id: id, hasBody: hasBody)
        guard let socket = loop.connections.socket(of: connection) else { return }
        if let session = connection.session {
            session.sendLast(bytes)
        } else {
            _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress, $0.count, flags) }
        }
        _ = shutdown(socket, Int32(SHUT_WR))
        // Of a TLS connection the loop may watch the socket itself.
        if readsAway, !connection.isEnded, connection.session == nil { loop.readAway(socket) }
    }

    private static let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)

    private static func problem(_ status: Int, stage: Connection.Stage) -> Problem {
        switch (status, stage) {
        case (413, .body), (400, .body), (500, .body):
            .framing(
                "The chunks of the body are malformed, or one's size or extension is too long.",
                "Transfer-Encoding"
            )
        case (413, _):
            Problem(.contentTooLarge, code: "body-too-large", detail: "The Content-Length is beyond any limit.")
        case (400, .head):
            .framing("The Content-Length is not a number alone, or a header field has no colon.", "Content-Length")
        case (414, _):
            Problem(.uriTooLong, code: "target-too-long", detail: "The request line is too long.")
        case (431, _), (500, _):
            Problem(.headersTooLarge, code: "headers-too-large", detail: "The request's head is too large.")
        case (505, _):
            Problem(
                .versionUnsupported,
                code: "version-unsupported",
                detail: "HTTP/1.1 and HTTP/1.0 are spoken here."
            )
        default: .malformed("This is no request of HTTP/1.1.")
        }
    }
}

extension Connection {
    /// Whether a whole head lies in libmicrohttpd's memory that the handler was not told of yet.
    fileprivate var hasUnseenHead: Bool {
        unsafe clarion_mhd_head_size(handle) > 0 && stage == .head
    }

    /// 0 without TLS.
    fileprivate var lastTouch: Int64 { session?.lastTouch ?? 0 }

    /// Whether a request has begun and has not come to its end.
    fileprivate var isInRequest: Bool {
        switch stage {
        case .head, .body: true
        // Over TLS what came may have been a handshake.
        case .idle: session?.hasRead ?? hasSentMore
        case .answer: false
        }
    }

    /// Whether more has come than the requests that were told of; the kernel counts the end as a byte.
    private var hasSentMore: Bool {
        let peer = ConnectionPeer(of: socket)
        return peer.pending(standing) > (peer.state == .open ? 0 : 1)
    }
}

extension Connection.Stage {
    /// Whether libmicrohttpd can refuse a request with a status at this stage.
    fileprivate func canMeet(_ status: Int) -> Bool {
        switch status {
        case 414, 505: self == .idle
        case 431: self == .head || self == .body
        case 413, 500: self == .body
        default: true
        }
    }
}

extension Response {
    /// The response as it stands on the wire, after which the connection is closed.
    fileprivate func bytes(serverName: String, id: String, hasBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status.code) \(status.reason)\r\nDate: \(Self.date)\r\n"
        head += "Server: \(serverName)\r\nRequest-Id: \(id)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array("\(head)Connection: close\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + (hasBody ? body : [])
    }

    /// Now, as a header field has it (RFC 9110 section 5.6.7).
    private static var date: String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        let day = unsafe ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        return unsafe "\(day), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) \(clock) GMT"
    }
}
