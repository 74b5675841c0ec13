extension Registry {
    /// What one owner has in the table.
    struct Belongings {
        private(set) var registrations: [RegistrationID: Key] = [:]

        mutating func add(_ id: RegistrationID, _ key: Key) { registrations[id] = key }

        mutating func remove(_ id: RegistrationID) { registrations.removeValueShrinking(forKey: id) }
    }
}
