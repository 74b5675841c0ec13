import MicroHTTP

/// The fields `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`, which no standard defines: lists to which
/// each proxy adds at the end, or that it writes anew.
enum XForwarded {
    static func isPresent(in headers: HeaderFields) -> Bool {
        headers.contains("X-Forwarded-For") || headers.contains("X-Forwarded-Host")
            || headers.contains("X-Forwarded-Proto")
    }

    /// What each proxy tells, the nearest first.
    ///
    /// Of hosts and schemes only the last counts: which proxies have added to these lists is not known, so of another
    /// entry it is not either whether a client has sent it.
    static func elements(of headers: HeaderFields) -> [ForwardedElement] {
        let host = list(headers.values(of: "X-Forwarded-Host")).first.flatMap(ForwardedElement.host)
        let scheme = list(headers.values(of: "X-Forwarded-Proto")).first.flatMap(ForwardedElement.scheme)
        let nodes = list(headers.values(of: "X-Forwarded-For")).map { ForwardedElement(node: ForwardedNode($0)) }
        return [ForwardedElement(node: nodes.first?.node, host: host, scheme: scheme)] + nodes.dropFirst()
    }

    /// The entries of all fields of one name, the last first. Empty ones count: whoever added one told nothing.
    private static func list(_ values: [String]) -> [ArraySlice<UInt8>] {
        let entries = values.flatMap {
            Array($0.utf8).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        }
        return entries.reversed().map(\.trimmed)
    }
}
