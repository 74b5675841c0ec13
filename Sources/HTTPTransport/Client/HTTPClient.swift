/// Sends requests and gives their answers as they come, on a thread of its own. Redirects are not followed.
package final class HTTPClient: Sendable {
    private let loop = HTTPLoop()
    private let options: HTTPOptions

    /// A client without connections.
    package init(_ options: HTTPOptions) {
        self.options = options
    }

    deinit { loop.stop() }

    /// Sends a request.
    ///
    /// - Returns: the answer, as soon as its head is there, whatever its status.
    /// - Throws: why there is none.
    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard let download = Download(request, options: options) else {
            throw HTTPFailure(.unreachable, "libcurl has no memory for a request")
        }
        loop.begin(download)
        do throws(HTTPFailure) {
            return HTTPResponse(head: try await download.buffer.head(), download, loop)
        } catch {
            loop.cancel(download)
            throw error
        }
    }
}

/// An answer whose body is read as it comes, by one task. It ends with whoever holds it.
package final class HTTPResponse: Sendable {
    /// The status and the fields.
    package let head: HTTPHead

    private let download: Download
    private let loop: HTTPLoop

    init(head: HTTPHead, _ download: Download, _ loop: HTTPLoop) {
        self.head = head
        self.download = download
        self.loop = loop
    }

    deinit { loop.cancel(download) }

    /// The next piece of the body, which is not empty; nil at its end.
    ///
    /// - Throws: why the rest does not come.
    package func next() async throws(HTTPFailure) -> [UInt8]? {
        try await download.buffer.next { loop.goOn(download) }
    }

    /// The whole body.
    ///
    /// - Parameter limit: how many bytes are taken at most.
    /// - Throws: why it does not come, or `tooLong`.
    package func body(atMost limit: Int) async throws(HTTPFailure) -> [UInt8] {
        var body: [UInt8] = []
        while let piece = try await next() {
            body += piece
            guard body.count <= limit else {
                throw HTTPFailure(.tooLong, "the answer is longer than \(limit) bytes")
            }
        }
        return body
    }
}
