extension ClarionClient {
    /// Asks whether the hub takes posts.
    ///
    /// - Throws: ``ClientError`` with the code that a post would get, such as `draining` or `storage-full`, or
    ///   ``ClientError/unreachable``.
    public func health() async throws(ClientError) {
        let (_, body) = try await body(Call("GET", "readyz"))
        guard body.starts(with: "ready".utf8) else { throw unreadable }
    }
}
