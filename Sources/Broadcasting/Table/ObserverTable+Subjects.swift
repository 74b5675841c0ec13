extension ObserverTable {
    /// Registers an object that is known as a `Subject`, such as `any SomeProtocol`, in place of its earlier registration
    /// under the key.
    ///
    /// - Parameter handler: gets the object as a `Subject`.
    func register<Subject: Sendable>(
        _ key: Key,
        subject: Subject,
        deliver: Delivery,
        handler: @escaping @Sendable (Subject, Value) -> Void
    ) {
        let view = UnretainedView(subject)
        func register<Owner: AnyObject & Sendable>(owner: Owner) {
            self.register(key, owner: owner, replacing: .sameOwner, deliver: deliver) { owner, value in
                view.lend(keptAliveBy: owner, to: handler, with: value)
            }
        }
        // Cannot fail: the view has checked that it is an object, and the signature that it is Sendable.
        register(owner: subject as! any AnyObject & Sendable)
    }
}
