extension ObserverTable {
    /// Registers an object that is known as a `Subject`, such as `any SomeProtocol`, in place of its earlier registration
    /// under the key.
    ///
    /// - Parameters:
    ///   - subject: anything but an object is a programmer's mistake and stops the program.
    ///   - handler: gets the object as a `Subject`.
    func register<Subject: Sendable>(
        _ key: Key,
        subject: Subject,
        deliver: Delivery,
        handler: @escaping @Sendable (Subject, Value) -> Void
    ) {
        guard let object = object(behind: subject) else {
            preconditionFailure(
                "\(subject) is no object: only an object can observe, for only an object can be released"
            )
        }
        let view = UnretainedView(subject, of: object)
        func register<Owner: AnyObject & Sendable>(owner: Owner) {
            self.register(key, owner: owner, replacing: .sameOwner, deliver: deliver) { owner, value in
                view.lend(keptAliveBy: owner, to: handler, with: value)
            }
        }
        register(owner: object)
    }
}
