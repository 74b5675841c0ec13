/// Ends observers that live in this process alone: streams, and its objects.
struct LivingObservers: Sendable {
    let streams: StreamHost
    let objects: ObjectHost

    /// Unregisters one.
    ///
    /// - Returns: false for one that is stored, or gone already.
    func unregister(_ observer: any HubObserver) -> Bool {
        switch observer {
        case let stream as EventStream: return streams.unregister(stream)
        case let object as ObjectObserver:
            objects.remove(object)
            return true
        case let feed as EventFeed:
            objects.remove(feed)
            return true
        default: return false
        }
    }
}
