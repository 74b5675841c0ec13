import Testing

@testable import MicroHTTP

@Suite struct WritingPaceTests {
    private let crowd = WritingPace.crowd
    private let interval = WritingPace.interval

    private func pace(chunks: Int) -> WritingPace {
        var pace = WritingPace()
        for _ in 0..<crowd { pace.wrote(streams: 1, chunks: chunks) }
        return pace
    }

    @Test func `one of many that have had much waits until its last write is a while ago`() {
        let pace = pace(chunks: WritingPace.chunks)
        #expect(pace.isSlow(waiting: crowd))
        #expect(pace.due(last: 1_000, now: 1_000) == 1_000 + interval)
        #expect(pace.due(last: 1_000, now: 999 + interval) == 1_000 + interval)
        #expect(pace.due(last: 1_000, now: 1_000 + interval) == nil)
    }

    @Test func `a few go at once, and so do many that have had little`() {
        #expect(!pace(chunks: 100).isSlow(waiting: crowd - 1))
        #expect(!pace(chunks: WritingPace.chunks - 1).isSlow(waiting: crowd))
        #expect(!WritingPace().isSlow(waiting: crowd))
    }

    @Test func `what there was before is forgotten`() {
        var pace = pace(chunks: 100)
        for _ in 0..<crowd { pace.wrote(streams: 1, chunks: 1) }
        #expect(!pace.isSlow(waiting: crowd))
    }
}
