import EventLog

/// Which messages of the stream are of no use any more, and up to where it is settled what is written of those that are left.
struct Settlement: Sendable {
    /// A message that is of no use to a node which starts later.
    struct Spent: Sendable {
        let sequence: UInt64
        /// The message that showed it, itself or a later one.
        let since: UInt64
    }

    /// What has one message that counts, the newest.
    enum Kind: Hashable, Sendable {
        case probe, settling, reserve
    }

    /// The newest message that says what a topic has lost.
    private struct Note {
        let sequence: UInt64
        /// Up to where its events are gone.
        let position: Position
    }

    /// How many topics it is said of at least, those that lost the latest events: when there are twice as many, one message says it
    /// of the others.
    static let keptNotes = 4_096

    private var spent: [Spent] = []
    private var newest: [Kind: UInt64] = [:]
    private var notes: [Topic: Note] = [:]
    /// Up to where it is not said any more which topics have lost events.
    private var unnoted = Position.start
    /// Up to where all appends that are in the stream are written.
    private(set) var through: UInt64 = 0
    /// Of those of which only some was written, which drafts: by their messages. Only earlier versions have written such.
    private var partly: [UInt64: [Int]] = [:]

    /// Takes in that a message is of no use: it was refused, or a newer one has taken its place.
    mutating func spend(_ sequence: UInt64, since: UInt64) {
        if sequence > 0 { spent.append(Spent(sequence: sequence, since: since)) }
    }

    /// Takes in a message that takes the place of the one of its kind before.
    mutating func replace(_ kind: Kind, by sequence: UInt64) {
        if let before = newest.updateValue(sequence, forKey: kind) { spend(before, since: sequence) }
    }

    /// Whether it was said that a topic has lost as much.
    func isNoted(removalOf topic: Topic, through position: Position) -> Bool {
        notes[topic].map { $0.position >= position } ?? false
    }

    /// Takes in a message that says what a topic has lost.
    mutating func note(removalOf topic: Topic, through position: Position, by sequence: UInt64) {
        // Whoever started later removes what was left, and may say that it has lost no more than this.
        if isNoted(removalOf: topic, through: position) { return spend(sequence, since: sequence) }
        let note = Note(sequence: sequence, position: position)
        if let before = notes.updateValue(note, forKey: topic) { spend(before.sequence, since: sequence) }
    }

    /// Up to where it need not be said any more which topics have lost events, if it is said that any may have.
    var droppable: Position {
        if notes.count <= 2 * Self.keptNotes { return unnoted }
        return max(unnoted, notes.values.map(\.position).sorted()[notes.count - Self.keptNotes - 1])
    }

    /// Takes in that it was said of all topics that they may have lost events up to a position.
    mutating func dropNotes(through position: Position, since sequence: UInt64) {
        unnoted = max(unnoted, position)
        for (topic, note) in notes where note.position <= unnoted {
            notes[topic] = nil
            spend(note.sequence, since: sequence)
        }
    }

    /// Takes out what is of no use.
    mutating func takeSpent() -> [Spent] {
        defer { spent = [] }
        return spent
    }

    /// What is to be written of an append; nil if that is not settled.
    func decision(of sequence: UInt64) -> Placement.Decision? {
        sequence <= through ? .written(places: partly[sequence]) : nil
    }

    /// Takes in what came of an append: of no use if nothing was written, to be kept in mind if only some was.
    mutating func note(_ receipt: AppendReceipt, after start: Position, of sequence: UInt64, drafts count: Int) {
        if receipt.isReplay || count == 0 { return spend(sequence, since: sequence) }
        var newest = start
        var places: [Int] = []
        for (place, event) in receipt.events.enumerated() where event.id.position > newest {
            newest = event.id.position
            places.append(place)
        }
        if places.count < count, receipt.events.count == count { partly[sequence] = places }
    }

    /// Of which messages up to a place only some was written.
    func partly(through sequence: UInt64) -> [UInt64: [Int]] { partly.filter { $0.key <= sequence } }

    /// Takes in what others have found.
    mutating func settle(through sequence: UInt64, partly found: [UInt64: [Int]]) {
        guard sequence > through else { return }
        through = sequence
        partly = partly.filter { $0.key > sequence }.merging(found) { own, _ in own }
    }

    /// Takes in that messages are not in the stream any more.
    mutating func forget(_ sequences: [UInt64]) {
        if partly.isEmpty { return }
        for sequence in sequences { partly[sequence] = nil }
    }
}
