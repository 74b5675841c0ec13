/// Requests of one turn of an event loop that are answered later: those that came together are begun together.
///
/// A lone one has nothing to wait for. The first of a turn is taken for one, unless there were several in the turn before.
struct GatheredRequests {
    private var waiting: [() -> Void] = []
    private var gathers = false
    private var begun = 0

    /// Takes in what begins the answer to a request. Returns false if it is to be begun at once.
    mutating func add(_ body: @escaping () -> Void) -> Bool {
        begun += 1
        guard gathers || begun > 1 else { return false }
        waiting.append(body)
        return true
    }

    /// All requests of the turn have been read. Returns what is to be begun.
    mutating func endTurn() -> [() -> Void] {
        // In a turn that only wrote answers nobody could ask.
        if begun > 0 { gathers = begun > 1 }
        begun = 0
        guard !waiting.isEmpty else { return [] }
        defer { waiting.removeAll(keepingCapacity: true) }
        return waiting
    }
}
