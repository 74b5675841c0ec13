extension Registry {
    /// What one owner has in the table.
    ///
    /// Invariant: a lane is listed exactly while some registration of the owner uses it.
    struct Belongings {
        private(set) var registrations: [RegistrationID: Key] = [:]
        private(set) var lanes: [(lane: Lane<Value>, uses: Int)] = []

        mutating func add(_ id: RegistrationID, _ key: Key, _ lane: Lane<Value>?) {
            registrations[id] = key
            guard let lane else { return }
            if let index = lanes.firstIndex(where: { $0.lane === lane }) {
                lanes[index].uses += 1
            } else {
                lanes.append((lane, 1))
            }
        }

        mutating func remove(_ id: RegistrationID, _ lane: Lane<Value>?) {
            registrations.removeValueShrinking(forKey: id)
            guard let lane, let index = lanes.firstIndex(where: { $0.lane === lane }) else { return }
            lanes[index].uses -= 1
            if lanes[index].uses == 0 { lanes.remove(at: index) }
        }
    }
}
