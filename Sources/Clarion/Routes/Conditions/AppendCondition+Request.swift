import EventLog
import MicroHTTP

extension AppendCondition {
    /// What a request that sets a value makes it depend on: compare-and-set.
    ///
    /// - Returns: nil if it says nothing.
    /// - Throws: 400 `parameter-invalid`.
    init?(_ request: Request) throws(Problem) {
        let conditions = try Preconditions(request)
        var parts: [AppendCondition] = []
        // In this order: the first that does not hold is answered (RFC 9110 section 13.2.2).
        switch conditions.match {
        case nil: break
        case .any: parts.append(.hasEvent)
        // A strong comparison: no weak tag is that of what is there.
        case .tags(let tags): parts.append(.newestIsOne(of: tags.filter { !$0.isWeak }.compactMap(\.event)))
        }
        switch conditions.noneMatch {
        case nil: break
        case .any: parts.append(.hasNone)
        case .tags(let tags): parts.append(.newestIsNone(of: tags.compactMap(\.event)))
        }
        guard let first = parts.first else { return nil }
        self = parts.count == 1 ? first : .all(parts)
    }
}
