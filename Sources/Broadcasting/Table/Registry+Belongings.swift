extension Registry {
    /// What one owner has in the table.
    struct Belongings {
        /// Of most owners all there is: they are spared the dictionary.
        private var first: Registration<Key>?
        private var others: [Key: RegistrationIDs] = [:]

        var isEmpty: Bool { first == nil && others.isEmpty }

        /// The only registration.
        var sole: Registration<Key>? { others.isEmpty ? first : nil }

        /// Some of the registrations, under one key or under all.
        func registrations(under key: Key? = nil, atMost limit: Int) -> [Registration<Key>] {
            var found: [Registration<Key>] = []
            if let first, key == nil || first.key == key { found.append(first) }
            func find(_ ids: RegistrationIDs, _ key: Key) {
                found += ids.some(atMost: limit - found.count).map { Registration(key: key, id: $0) }
            }
            if let key {
                if let ids = others[key] { find(ids, key) }
            } else {
                for (key, ids) in others {
                    // Not as a `where` of the loop, which would look at all of them for each slice.
                    if found.count >= limit { break }
                    find(ids, key)
                }
            }
            return found
        }

        mutating func add(_ registration: Registration<Key>) {
            if isEmpty {
                first = registration
            } else {
                others[registration.key, default: RegistrationIDs()].insert(registration.id)
            }
        }

        mutating func remove(_ registration: Registration<Key>) {
            if first?.id == registration.id {
                first = nil
            } else if let index = others.index(forKey: registration.key) {
                others.values[index].remove(registration.id)
                if others.values[index].isEmpty { others.removeValueShrinking(forKey: registration.key) }
            }
        }
    }

    /// The registrations of one owner under one key: mostly one, which is spared the dictionary.
    struct RegistrationIDs {
        private var first: RegistrationID?
        private var others: [RegistrationID: Void] = [:]

        var isEmpty: Bool { first == nil && others.isEmpty }

        func some(atMost limit: Int) -> [RegistrationID] {
            Array(((first.map { [$0] } ?? []) + others.keys.prefix(limit)).prefix(limit))
        }

        mutating func insert(_ id: RegistrationID) {
            if isEmpty { first = id } else { others[id] = () }
        }

        mutating func remove(_ id: RegistrationID) {
            if first == id { first = nil } else { others.removeValueShrinking(forKey: id) }
        }
    }
}
