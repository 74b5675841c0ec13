extension ClarionClient {
    /// Asks whether the hub takes posts.
    ///
    /// - Throws: ``ClientError`` with the code that a post would get, such as `draining` or `storage-full`, or
    ///   ``ClientError/unreachable``.
    public func health() async throws(ClientError) {
        let (_, body) = try await body(Call("GET", "readyz"))
        guard body.starts(with: "ready".utf8) else { throw unreadable }
    }

    /// The same with a deadline for the whole answer, as probes have.
    package func health(within limit: Duration) async throws(ClientError) {
        let answer = await withTaskGroup(of: Result<Void, ClientError>?.self) { group in
            group.addTask {
                do throws(ClientError) { return .success(try await self.health()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: limit, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let answer else {
            let detail = "\(url.text) has not answered within \(limit.components.seconds) s."
            throw ClientError(code: ClientError.unreachable, detail: detail)
        }
        try answer.get()
    }
}
