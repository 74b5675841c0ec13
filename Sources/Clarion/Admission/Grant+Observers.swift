import Access

extension Grant {
    /// Whether an observer is theirs to see and to change who have these rights.
    func manages(_ observer: any HubObserver) -> Bool { observer.topics.allSatisfy { allows(.manage, on: $0) } }
}
