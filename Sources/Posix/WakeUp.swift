import CPosix

/// Wakes a thread that waits at an ``EventPoll`` (eventfd(2), or pipe(2) where there is none).
package final class WakeUp: Sendable {
    /// Readable once it was woken, until ``clear()``.
    let descriptor: Int32
    private let writer: Int32

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe clarion_wake_up_open(&ends) == 0 else { throw SystemError("eventfd") }
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        if writer != descriptor { close(writer) }
    }

    /// Ends the wait, also one that has yet to begin. From any thread.
    package func wake() {
        // Eight bytes are what an eventfd takes. One that is full, as a pipe may be, wakes as well.
        var one: UInt64 = 1
        _ = unsafe write(writer, &one, 8)
    }

    func clear() {
        var value: UInt64 = 0
        // An eventfd is empty after one.
        while unsafe read(descriptor, &value, 8) == 8, writer != descriptor {}
    }
}
