import Testing

@testable import MicroHTTP

@Suite struct EndingGraceTests {
    private func isOver(_ grace: inout EndingGrace, lastWrite: Int, now: Int) -> Bool {
        grace.isOver(lastWrite: lastWrite, now: now)
    }

    @Test func `a stream that takes nothing is given up, counted from the first look`() {
        var grace = EndingGrace()
        #expect(isOver(&grace, lastWrite: 0, now: 100_000) == false)
        #expect(isOver(&grace, lastWrite: 0, now: 100_000 + EndingGrace.stuck - 1) == false)
        #expect(isOver(&grace, lastWrite: 0, now: 100_000 + EndingGrace.stuck) == true)
    }

    @Test func `one that takes something has more time, but not for ever`() {
        var grace = EndingGrace()
        for now in stride(from: 0, to: EndingGrace.slow, by: EndingGrace.stuck - 1) {
            #expect(isOver(&grace, lastWrite: now, now: now) == false)
        }
        #expect(isOver(&grace, lastWrite: EndingGrace.slow, now: EndingGrace.slow) == true)
    }
}
