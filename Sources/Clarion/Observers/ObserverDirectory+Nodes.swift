import EventLog
import MicroHTTP

extension ObserverDirectory {
    /// The observer of an id, here or at another node, if a caller manages it.
    func find(
        _ id: ObserverID,
        orAt nodes: OtherNodes,
        for caller: Caller
    ) async -> OtherNodes.Gathered<(any HubObserver)?> {
        let here = find(id)
        let elsewhere = here == nil ? await nodes.find(id) : OtherNodes.Gathered(value: nil)
        let found = here ?? elsewhere.value
        return OtherNodes.Gathered(value: found.flatMap { caller.manages($0) ? $0 : nil }, missing: elsewhere.missing)
    }

    /// The same of who must be there.
    ///
    /// - Throws: `observer-unknown`, also for who does not manage it.
    func require(
        _ id: ObserverID,
        orAt nodes: OtherNodes,
        for caller: Caller
    ) async throws(Problem) -> any HubObserver {
        let found = await find(id, orAt: nodes, for: caller)
        guard let observer = found.value else { throw .observerUnknown(without: found.missing) }
        return observer
    }
}
