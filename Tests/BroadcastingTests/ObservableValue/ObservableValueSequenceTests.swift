import Testing

@testable import Broadcasting

@Suite struct ObservableValueSequenceTests {
    @Test(.timeLimit(.minutes(1)))
    func `values are what is set from then on, and end with the variable`() async {
        var number: ObservableValue? = ObservableValue(0)
        let values = number!.values
        for value in 1...3 { number!.value = value }
        number = nil
        #expect(await Array(values) == [1, 2, 3])
    }

    @Test(.timeLimit(.minutes(1)))
    func `values may begin with the current one`() async {
        var number: ObservableValue? = ObservableValue(7)
        let values = number!.values(initial: true)
        number!.value = 8
        number = nil
        #expect(await Array(values) == [7, 8])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a consumer that wants the state and not its history keeps the newest only`() async {
        var number: ObservableValue? = ObservableValue(0)
        let values = number!.values(bufferingPolicy: .bufferingNewest(1))
        for value in 1...1_000 { number!.value = value }
        number = nil
        #expect(await Array(values) == [1_000])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a sequence does not keep the variable alive, not even while it is waited for`() async {
        let started = Recorder<Int>()
        weak var released: ObservableValue<Int>?
        let consumer: Task<[Int], Never>
        do {
            let number = ObservableValue(0)
            released = number
            let values = number.values(initial: true)
            consumer = Task {
                var heard: [Int] = []
                for await value in values {
                    heard.append(value)
                    started.hear(value)
                }
                return heard
            }
            await eventually("the consumer waits") { started.values == [0] }
        }
        #expect(released == nil)
        #expect(await consumer.value == [0])
    }

    @Test(.timeLimit(.minutes(1)))
    func `the registration goes when the consumer is cancelled, breaks off or never iterates`() async {
        let number = ObservableValue(0)
        let cancelled = Task { for await _ in number.values(initial: true) {} }
        let broken = Task { for await _ in number.values(initial: true) { break } }
        await broken.value
        await eventually("the other one waits") { number.table.registrationCount == 1 }
        cancelled.cancel()
        await cancelled.value
        do { _ = number.values }
        #expect(number.table.registrationCount == 0)
    }
}

extension Array {
    fileprivate init(_ sequence: AsyncStream<Element>) async where Element: Sendable {
        self = []
        for await element in sequence { append(element) }
    }
}
