extension ObservableValue {
    /// What the value becomes from now on.
    ///
    /// ```swift
    /// for await value in message.values { print(value) }
    /// ```
    ///
    /// Each access makes a sequence of its own, for one consumer, that keeps what was set until it is consumed. It ends
    /// with the variable, which it does not keep alive; and it is forgotten when its task is cancelled or it is released.
    public var values: AsyncStream<Value> { values() }

    /// What the value becomes from now on.
    ///
    /// - Parameters:
    ///   - initial: whether the sequence begins with what the value is.
    ///   - bufferingPolicy: what happens to values that nobody has consumed yet. `.bufferingNewest(1)` suits a consumer
    ///     that wants to know the state and not its history.
    public func values(
        initial: Bool = false,
        bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Value> {
        table.stream(bufferingPolicy: bufferingPolicy) { hear in
            register(initial: initial) { beginning in
                table.register(SoleKey()) { news in
                    if beginning.precedes(news) { news.tell(hear) }
                }
            }
        }
    }
}
