import Testing

@testable import EventLog

@Suite struct WriterPaceTests {
    private let afterPosts = WriterPace.maintenanceDelay
    private let whenNoneIsDue = WriterPace.longestWait

    /// Waits as the machine says, until it says something else; how long that was.
    private func wait(_ pace: inout WriterPace, _ delay: Duration) -> Duration {
        var total = Duration.zero
        while case .wait(let duration) = pace.next(hasLowPriority: false, maintainingAfter: delay) {
            pace.waited(duration, wasWoken: false)
            total += duration
        }
        return total
    }

    @Test func `maintenance that is due is done at once, and after posts when none has come for a while`() {
        var pace = WriterPace()
        #expect(pace.next(hasLowPriority: false, maintainingAfter: .zero) == .maintain)
        #expect(wait(&pace, afterPosts) == .milliseconds(5))
        pace.worked()
        #expect(pace.next(hasLowPriority: false, maintainingAfter: afterPosts) == .wait(.milliseconds(5)))
    }

    @Test func `it looks for history that is too old twice a second`() {
        var pace = WriterPace()
        #expect(wait(&pace, whenNoneIsDue) == .milliseconds(500))
        pace.worked()
        #expect(wait(&pace, whenNoneIsDue) == .milliseconds(500))
    }

    @Test func `low priority goes before maintenance, and after a moment without posts`() {
        var pace = WriterPace()
        #expect(!pace.isIdle)
        for delay in [Duration.zero, afterPosts, whenNoneIsDue] {
            #expect(pace.next(hasLowPriority: true, maintainingAfter: delay) == .wait(.microseconds(500)))
        }
        pace.waited(.microseconds(500), wasWoken: false)
        #expect(pace.isIdle)
        pace.worked()
        #expect(!pace.isIdle)
    }

    @Test func `a writer that is woken is not idle, and waits from the beginning`() {
        var pace = WriterPace()
        pace.waited(.milliseconds(4), wasWoken: false)
        #expect(pace.next(hasLowPriority: false, maintainingAfter: afterPosts) == .wait(.milliseconds(1)))
        pace.waited(.milliseconds(1), wasWoken: true)
        #expect(!pace.isIdle)
        #expect(pace.next(hasLowPriority: false, maintainingAfter: afterPosts) == .wait(.milliseconds(5)))
    }

    @Test func `what becomes due while it waits for longer is done when it looks again`() {
        var pace = WriterPace()
        pace.waited(.milliseconds(100), wasWoken: false)
        #expect(pace.next(hasLowPriority: false, maintainingAfter: afterPosts) == .maintain)
        #expect(pace.next(hasLowPriority: false, maintainingAfter: whenNoneIsDue) == .wait(.milliseconds(400)))
    }
}
