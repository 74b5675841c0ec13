package import JSON

/// A whole list of the hub's, gathered page by page.
package struct Listing: Sendable {
    /// What is in it, as the hub says it.
    package var elements: [JSONValue] = []

    /// The nodes of a cluster that did not answer when it was gathered: what is at them alone is not in it.
    package var unreachable: [String] = []

    /// Takes in a page of which the member of this name is the list.
    mutating func add(_ page: JSONValue, _ name: String) -> Bool {
        guard let elements = page[name]?.elements else { return false }
        self.elements += elements
        let missing = page["unreachable"]?.elements?.compactMap(\.text) ?? []
        unreachable += missing.filter { !unreachable.contains($0) }
        return true
    }
}
