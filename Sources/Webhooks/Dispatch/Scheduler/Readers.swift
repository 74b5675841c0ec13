/// The lanes that wait for their turn to read, by what they need beside it: where each is, its ``Lane/reading`` says.
///
/// One that may not read now stands in nobody's way, and is not looked at before it may: there may be thousands.
struct Readers {
    private var lines: [Reading.Need: OwnerRounds<LaneLine>] = [:]
    /// Whose line had its turn last.
    private var last = Reading.Need.nothing

    var count: Int { lines.values.reduce(0) { $0 + $1.count } }

    /// Whether a lane waits that has all it needs.
    func isAnyReady(_ isMet: (Reading.Need) -> Bool) -> Bool { lines.contains { !$1.isEmpty && isMet($0) } }

    /// Moves a lane to another place.
    ///
    /// - Parameter owner: whose it is; always the same for a lane.
    mutating func move(_ lane: Int, of owner: String?, from old: Reading, to new: Reading) {
        if case .queued(let need) = old { lines[need]?.change(owner) { $0.remove(lane) } }
        if case .queued(let need) = new { lines[need, default: .init()].change(owner) { $0.append(lane) } }
    }

    /// The next that has all it needs. The lines take turns, and in each the owners.
    mutating func next(_ isMet: (Reading.Need) -> Bool) -> Int? {
        for _ in Reading.Need.allCases {
            last = last.next
            guard isMet(last), let line = lines[last], !line.isEmpty else { continue }
            return lines[last]?.takeTurn { line, _ in line.first } ?? nil
        }
        return nil
    }
}
