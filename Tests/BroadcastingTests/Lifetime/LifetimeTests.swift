import Testing

@testable import Broadcasting

@Suite struct LifetimeTests {
    @Test func `a hook runs once, when the object that stores it goes`() {
        final class Page {
            let hook: DeinitHook
            init(_ heard: Recorder<String>) { hook = DeinitHook { heard.hear("gone") } }
        }
        let heard = Recorder<String>()
        var page = Optional(Page(heard))
        #expect(heard.values.isEmpty)
        _ = page
        page = nil
        #expect(heard.values == ["gone"])
    }

    @Test func `everything asked for at the end of a lifetime runs then`() {
        let heard = Recorder<Int>()
        var lifetime = Optional(Lifetime())
        for number in 0..<3 { lifetime?.onEnd { heard.hear(number) } }
        #expect(heard.values.isEmpty)
        lifetime = nil
        #expect(heard.values.sorted() == [0, 1, 2])
    }

    @Test func `a token ends its registration once, when cancelled or released`() {
        let heard = Recorder<Int>()
        let table = ObserverTable<String, Int>()
        let token = table.token(for: table.register("a") { heard.hear($0) })
        table.notify("a", 1)
        token.cancel()
        table.notify("a", 2)
        token.cancel()
        #expect(heard.values == [1])

        do {
            let token = table.token(for: table.register("a") { heard.hear($0) })
            table.notify("a", 3)
            withExtendedLifetime(token) {}
        }
        table.notify("a", 4)
        #expect(heard.values == [1, 3])
        #expect(table.registrationCount == 0)
    }

    @Test func `a token may outlive its table`() {
        var table = Optional(ObserverTable<String, Int>())
        let token = table!.token(for: table!.register("a") { _ in })
        weak let weakTable = table
        table = nil
        #expect(weakTable == nil)
        token.cancel()
    }
}
