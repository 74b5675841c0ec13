import Testing

@testable import EventLog

@Suite struct DiskSpaceWatchTests {
    private let start = ContinuousClock.now

    @Test func `an answer holds for a while, and for a part of the room`() {
        var watch = DiskSpaceWatch()
        #expect(watch.mustLook(beforeWriting: 0, at: start))
        watch.saw(1_600_000, at: start)
        #expect(!watch.mustLook(beforeWriting: 100_000, at: start))
        #expect(watch.mustLook(beforeWriting: 100_001, at: start))
        for _ in 0..<10 { watch.wrote(10_000) }
        #expect(!watch.mustLook(beforeWriting: 0, at: start + DiskSpaceWatch.pause))
        #expect(watch.mustLook(beforeWriting: 1, at: start))
        #expect(watch.mustLook(beforeWriting: 0, at: start + DiskSpaceWatch.pause + .milliseconds(1)))
    }

    @Test func `with little room every write asks`() {
        var watch = DiskSpaceWatch()
        watch.saw(1_000, at: start)
        #expect(watch.mustLook(beforeWriting: 100, at: start))
    }
}
