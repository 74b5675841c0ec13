import Broadcasting
import EventLog

/// Finds observers by id and lists them, held as weakly as by the broadcaster and in the same kind of table.
final class ObserverDirectory: Sendable {
    private let table = ObserverTable<ObserverID, Never>()

    /// Adds an observer; one of the same id that was there before is displaced. The entry ends with the token, which the
    /// observer keeps.
    func add<Observer: HubObserver>(_ observer: Observer) -> ObservationToken {
        let registration = table.register(observer.id, owner: observer, replacing: .name("observer")) { _, _ in }
        return table.token(for: registration)
    }

    /// The observer of an id, if it lives.
    func find(_ id: ObserverID) -> (any HubObserver)? {
        for _ in 0..<Self.looks {
            let found = table.owners(of: id, as: (any HubObserver).self).first { $0.isRegistered }
            if let found { return found }
        }
        return nil
    }

    /// How often is looked: what was there at the first look may have gone at its end because another took its place.
    private static let looks = 3

    /// All that live, oldest first.
    func all() -> [any HubObserver] {
        unordered.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// All that live, in no order.
    var unordered: [any HubObserver] { table.owners().filter(\.isRegistered) }
}
