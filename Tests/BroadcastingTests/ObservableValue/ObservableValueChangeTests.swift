import Synchronization
import Testing

@testable import Broadcasting

/// `withValue`: in place where it can be, undone if it throws.
@Suite struct ObservableValueChangeTests {
    @Test func `changing a collection does not copy it`() {
        let list = ObservableValue([Int](repeating: 0, count: 1_000))
        let counts = Recorder<Int>()
        list.withValue { $0.reserveCapacity(2_000) }
        list.observe(counts) { $0.hear($1.count) }
        let address = list.address
        for number in 1...500 { list.withValue { $0.append(number) } }
        #expect(list.address == address)
        #expect(counts.values == Array(1_001...1_500))
    }

    @Test func `what was told is not changed later`() async {
        let list = ObservableValue([0])
        let told = Recorder<[Int]>()
        list.observe(told, deliver: .background) { $0.hear($1) }
        for number in 1...100 { list.withValue { $0.append(number) } }
        await eventually("all is heard") { told.values.count == 100 }
        #expect(told.values == (1...100).map { Array(0...$0) })
    }

    @Test func `what is read beside changes in place is whole`() async {
        let list = ObservableValue([Int]())
        let broken = Atomic(0)
        await onThreads(4) { thread in
            for number in 0..<2_000 {
                if thread == 0 {
                    list.withValue { $0.append(number) }
                } else {
                    let value = list.value
                    if let last = value.last, last != value.count - 1 { broken.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(broken.load(ordering: .relaxed) == 0)
        #expect(list.value == Array(0..<2_000))
    }

    @Test func `who compares gets the value before, and nothing is copied when nobody compares any more`() {
        let list = ObservableValue([Int]())
        let heard = Recorder<Int>()
        let token = list.observe(distinct: true) { heard.hear($0.count) }
        list.withValue { $0.append(1) }
        list.withValue { _ in }
        list.withValue { $0.append(2) }
        #expect(heard.values == [1, 2])
        token.cancel()
        list.withValue { $0.reserveCapacity(1_000) }
        let address = list.address
        list.withValue { $0.append(3) }
        #expect(list.address == address)
    }

    @Test func `a closure that throws has changed nothing, and what it threw away goes when the variable is free`() {
        struct Refusal: Error {}
        final class Element: Sendable {
            let list: ObservableValue<[Element]>
            let counts: Recorder<Int>
            init(_ list: ObservableValue<[Element]>, _ counts: Recorder<Int>) {
                self.list = list
                self.counts = counts
            }
            deinit { counts.hear(list.value.count) }
        }
        let list = ObservableValue<[Element]>([])
        let counts = Recorder<Int>()
        list.withValue { $0.append(Element(list, counts)) }
        #expect(throws: Refusal.self) {
            try list.withValue { value in
                value.append(Element(list, counts))
                throw Refusal()
            }
        }
        #expect(counts.values == [1])
        #expect(list.value.count == 1)
        list.value = []
        #expect(counts.values == [1, 0])
    }

    @Test(.timeLimit(.minutes(1)))
    func `an assignment returns while another thread goes on setting`() async {
        let number = ObservableValue(0)
        let isOver = Atomic(false)
        let observer = Witness()
        number.observe(observer) { observer, value in
            observer.hear(value)
            // So that who sets is always ahead of who announces.
            if value == 1 { while number.value < 1_000 {} }
        }
        await onThreads(2) { thread in
            if thread == 0 {
                number.value = 1
                isOver.store(true, ordering: .releasing)
            } else {
                while number.value == 0 {}
                var settings = 0
                while !isOver.load(ordering: .acquiring) {
                    settings += 1
                    number.withValue { $0 += 1 }
                }
            }
        }
        let last = number.value
        await eventually("all is heard") { observer.values.count == last }
        #expect(observer.values == Array(1...last))
        observer.expectOrder()
    }
}

extension ObservableValue where Value == [Int] {
    /// Where the elements are.
    fileprivate var address: Int {
        unsafe value.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }
}
