extension ObserverTable {
    /// Calls the observers of a key on the main actor, wherever they are called otherwise; those with `.immediate` delivery
    /// before it returns, if the caller is there.
    func notifyOnMain(_ key: Key, _ value: Value, isThere: Bool) {
        var dead: [RegistrationID] = []
        read(key) { members in
            members.forEach { member in
                if !member.subject.entry.deliverOnMain(value, isThere: isThere) { dead.append(member.subject.id) }
            }
        }
        remove(dead, from: key)
    }
}
