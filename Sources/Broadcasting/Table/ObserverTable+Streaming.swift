extension ObserverTable {
    /// A sequence of what a registration hears.
    ///
    /// It ends when the registration does, and with the table; the registration ends when nobody iterates any more.
    ///
    /// - Parameter register: registers a handler that belongs to nobody.
    func stream<Element: Sendable>(
        bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy,
        register: (_ handler: @escaping @Sendable (Element) -> Void) -> Registration<Key>
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: bufferingPolicy)
        // Nobody but the handler holds the hook, so the sequence ends when the handler is released, for whatever reason.
        let hook = DeinitHook { continuation.finish() }
        let registration = register { element in
            withExtendedLifetime(hook) { _ = continuation.yield(element) }
        }
        let token = token(for: registration)
        continuation.onTermination = { _ in token.cancel() }
        return stream
    }
}
