/// Whether the pages of a list come to an end, as far as that can be seen: a server that is none of ours, or is broken, may
/// lead from page to page for ever.
package struct PageProgress {
    /// The cursors that were given, by hashes: 8 bytes of each, however long they are.
    private var cursors: Set<Int> = []
    private var empty = 0

    /// How many pages may have nothing, one after the other. Those of deliveries may: each passes over 1,000 that somebody may
    /// not see.
    private static let mostEmpty = 10_000

    package init() {}

    /// Takes in a page.
    ///
    /// - Parameters:
    ///   - cursor: of the next page; nil if there is none.
    ///   - isEmpty: whether it has nothing.
    /// - Returns: false if it leads to a page that was read, or there were too many with nothing.
    package mutating func goesOn(to cursor: String?, isEmpty: Bool) -> Bool {
        guard let cursor else { return true }
        empty = isEmpty ? empty + 1 : 0
        return cursors.insert(cursor.hashValue).inserted && empty <= Self.mostEmpty
    }
}
