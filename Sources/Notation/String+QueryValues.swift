extension String {
    /// A URL for logs: without the values of its query, which may be credentials. A parameter without `=` is one.
    package var withoutQueryValues: String {
        guard let mark = firstIndex(of: "?") else { return self }
        let query = self[index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let names = query.map { parameter in
            parameter.firstIndex(of: "=").map { "\(parameter[..<$0])=***" } ?? (parameter.isEmpty ? "" : "***")
        }
        return "\(self[..<mark])?\(names.joined(separator: "&"))"
    }
}
