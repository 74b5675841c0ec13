import Glibc
import Testing

@testable import Posix

@Suite struct SystemLimitsTests {
    @Test func `clocks run, and the cheap one is not far behind`() {
        let (coarse, now) = (SystemClock.coarse.milliseconds, SystemClock.monotonic.nanoseconds)
        #expect((now / 1_000_000 - 100...now / 1_000_000).contains(coarse))
        #expect(SystemClock.monotonic.nanoseconds >= now)
        let seconds = time(nil)
        #expect(abs(SystemClock.timeOfDay.milliseconds / 1000 - seconds) <= 1)
    }

    @Test func `an error tells the call and the system's reason`() {
        #expect(SystemError("open", ENOENT).description == "open failed: No such file or directory")
        close(-1)
        #expect(SystemError("close").number == EBADF)
    }

    /// The limit is the process's: tests run one at a time (Makefile).
    @Test func `descriptors are short when nearly all are in use`() throws {
        var limit = rlimit()
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #expect(SystemLimits.openFiles == UInt64(limit.rlim_cur))
        #expect(!SystemLimits.areFilesShort)
        let lowest = dup(STDIN_FILENO)
        close(lowest)
        defer { _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        // At the border, and one below it; and with none left at all.
        for (spare, isShort) in [(16, false), (15, true), (0, true)] {
            var lower = limit
            lower.rlim_cur = rlim_t(Int(lowest) + spare)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lower)
            #expect(SystemLimits.areFilesShort == isShort, "\(spare) left")
        }
        #expect(SystemLimits.raiseOpenFiles() == Int(min(limit.rlim_max, 1_000_000)))
        #expect(SystemLimits.openFiles == UInt64(limit.rlim_max))
    }
}
