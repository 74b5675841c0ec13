import Locking
import Synchronization
import Testing

@testable import Broadcasting

/// "Setting from inside an observer is legal and ordered", and so is setting from many threads.
@Suite struct ObservableValueOrderTests {
    let number = ObservableValue(0)

    @Test func `what an observer sets is announced after what it hears`() {
        let number = number
        let first = Recorder<Int>()
        let last = Recorder<Int>()
        number.observe(first) { first, value in
            first.hear(value)
            if value < 5 { number.value = value + 1 }
        }
        number.observe(last) { $0.hear($1) }
        number.value = 1
        #expect(first.values == [1, 2, 3, 4, 5])
        #expect(last.values == [1, 2, 3, 4, 5])
    }

    @Test func `who registers inside an observer hears what is set later and nothing earlier`() {
        let number = number
        let late = Recorder<Int>()
        let greeted = Recorder<Int>()
        number.observe(forKey: "first") { value in
            guard value == 1 else { return }
            number.value = 2
            number.observe(late) { $0.hear($1) }
            number.observe(greeted, initial: true) { $0.hear($1) }
            number.value = 3
        }
        number.value = 1
        #expect(late.values == [3])
        #expect(greeted.values == [2, 3])
    }

    @Test func `all observers hear the settings of all threads in one order, ending with the value`() async {
        let number = number
        let observers = (0..<3).map { _ in Recorder<Int>() }
        for observer in observers { number.observe(observer) { $0.hear($1) } }
        await onThreads(4) { thread in
            for value in 1...500 { number.value = thread * 1_000 + value }
        }
        for observer in observers {
            await eventually("all is heard") { observer.values.count == 2_000 }
            #expect(observer.values == observers[0].values)
            #expect(observer.values.last == number.value)
        }
        for thread in 0..<4 {
            #expect(observers[0].values.filter { $0 / 1_000 == thread } == (1...500).map { thread * 1_000 + $0 })
        }
    }

    @Test func `withValue is atomic`() async {
        let number = number
        let heard = Recorder<Int>()
        number.observe(heard) { $0.hear($1) }
        await onThreads(4) { _ in
            for _ in 0..<1_000 { number.withValue { $0 += 1 } }
        }
        await eventually("all is heard") { heard.values.count == 4_000 }
        #expect(heard.values == Array(1...4_000))
    }

    @Test func `whenever an observer begins, it hears the current value and every later one once`() async {
        let number = number
        let working = Atomic(3)
        let begun = Atomic(0)
        let histories = Lock<[Recorder<Int>]>([])
        await onThreads(4) { thread in
            if thread == 0 {
                // Paced by those who begin: one of them may have to announce all that is set meanwhile.
                var settings = 0
                while working.load(ordering: .acquiring) > 0 {
                    guard settings < 50 * begun.load(ordering: .relaxed) else { continue }
                    settings += 1
                    number.withValue { $0 += 1 }
                }
                return
            }
            for _ in 0..<100 {
                let observer = Recorder<Int>()
                histories.withLock { $0.append(observer) }
                begun.add(1, ordering: .relaxed)
                number.observe(observer, initial: true) { $0.hear($1) }
            }
            working.subtract(1, ordering: .releasing)
        }
        number.withValue { $0 += 1 }
        let last = number.value
        let observers = histories.withLock { $0 }
        #expect(observers.count == 300)
        for observer in observers {
            await eventually("the last value is heard") { observer.values.last == last }
            #expect(observer.values == Array(observer.values[0]...last))
        }
    }
}
