import CMicroHTTPD
import Glibc
import Posix

/// The body of a stream over TLS: libmicrohttpd asks for it piece by piece and writes it, since the session is its own.
///
/// When nothing waits the connection is suspended until ``wake()``. Confined to its event loop's thread.
@safe
final class SecureStream {
    let stream: DetachedStream
    unowned let connection: Connection
    private let handle: OpaquePointer
    private unowned let loop: EventLoop
    /// While nothing waits.
    private var suspended: SuspendedConnection?
    /// Taken from the outbox; the first chunk may be given in part.
    private var sending: [Chunk] = []
    private var offset = 0
    /// How many bytes libmicrohttpd was given, and when last, in milliseconds of the monotonic clock.
    private var given = 0
    private var lastGiven = SystemClock.coarse.milliseconds
    /// How fast it is read; nil while all is written.
    private var pace: ReadingPace?
    /// What had been given when that was last looked at.
    private var givenBefore = 0
    /// While it is to end, and something waits.
    private var ending = EndingGrace()

    /// Seconds after which a client is given up that takes nothing of what waits for it: the same as for a detached
    /// stream, see ``StreamSlot/configure(_:)``.
    private static let stallTimeout: UInt32 = 5 * 60

    init(_ stream: DetachedStream, on handle: OpaquePointer, of connection: Connection, in loop: EventLoop) {
        unsafe self.handle = unsafe handle
        self.stream = stream
        self.connection = connection
        self.loop = loop
        // A timeout of its own has another reason, too: see StreamHandover.
        _ = unsafe clarion_mhd_set_timeout(handle, Self.stallTimeout)
        StreamSlot.configure(connection.socket)
        _ = stream.open(on: loop)
    }

    /// Fills the buffer (libmicrohttpd manual, "MHD_ContentReaderCallback").
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let phase = stream.take(into: &sending)
        // It was cut.
        if phase == .ended { return StreamHandover.endWithError }
        let count = unsafe give(to: buffer)
        if count > 0 {
            given += count
            lastGiven = SystemClock.coarse.milliseconds
            return count
        }
        if phase == .ending { return end() }
        guard loop.core.inFlight.enter() else { return StreamHandover.endOfStream }
        suspended = unsafe SuspendedConnection(suspending: handle, of: loop)
        return 0
    }

    /// Has libmicrohttpd ask again.
    func wake() {
        guard let connection = suspended else { return }
        suspended = nil
        connection.resume()
    }

    /// Ends it, whatever waits. Libmicrohttpd, which waits for the socket or for the stream, comes to the end of either.
    func drop() {
        shutdown(connection.socket, Int32(SHUT_RDWR))
        stream.cut()
        wake()
    }

    /// Copies what was taken, as many whole events as fit, or of one that does not as much as does. Returns how much that is.
    private func give(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var (count, first, surcharge) = (0, 0, 0)
        while count < buffer.count, first < sending.count {
            let chunk = sending[first]
            let start = chunk.range.lowerBound + offset
            let part = start..<min(start + buffer.count - count, chunk.range.upperBound)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: chunk.frame.bytes[part])
            count += part.count
            offset += part.count
            guard offset == chunk.count else {
                // Other bodies have none.
                if stream.endsWithPeer {
                    let rest = unsafe Self.beyondLastEvent(chunk.frame.bytes[part], isAlone: count == part.count)
                    (count, offset) = (count - rest, offset - rest)
                }
                break
            }
            surcharge += stream.surcharge(of: chunk)
            offset = 0
            first += 1
        }
        sending.removeFirst(first)
        if count > 0 { stream.sent(count, surcharge: surcharge) }
        return count
    }

    /// How much there is after the end of an event, if that is to wait for the next chunk of the transfer coding: clients that read
    /// in blocks take one for whole events.
    /// - Parameter isAlone: whether there is nothing before that.
    private static func beyondLastEvent(_ bytes: Slice<UnsafeRawBufferPointer>, isAlone: Bool) -> Int {
        let newline = UInt8(ascii: "\n")
        var end = unsafe bytes.endIndex
        while unsafe end - bytes.startIndex >= 2 {
            if unsafe bytes[end - 1] == newline, unsafe bytes[end - 2] == newline { return unsafe bytes.endIndex - end }
            end -= 1
        }
        return unsafe isAlone ? 0 : bytes.count
    }

    private func end() -> Int {
        stream.close(inOrder: true)
        // The next request on this connection waits no longer than any other.
        _ = unsafe clarion_mhd_set_timeout(handle, UInt32(loop.core.configuration.idleSeconds))
        return StreamHandover.endOfStream
    }
}

extension SecureStream {
    /// A body that has an end is read at its client's pace, and needs no comments.
    func isSilent(for silence: Int, now: Int) -> Bool {
        stream.endsWithPeer && suspended != nil && now - lastGiven >= silence
    }

    /// Whether its client has had its time. The rules are those of ``StreamTable``, whose streams are written otherwise.
    func isHopeless(now: Int) -> Bool {
        guard suspended == nil else {
            (pace, ending) = (nil, EndingGrace())
            return false
        }
        // It was cut, and libmicrohttpd waits for the socket to take what it was given before.
        if stream.isOver, !stream.endedInOrder { return true }
        return keepsOthersWaiting(now: now) || isUnendable(now: now)
    }

    private func keepsOthersWaiting(now: Int) -> Bool {
        var pace = pace ?? ReadingPace(now: now)
        pace.took(given - givenBefore)
        let isTooSlow = pace.isTooSlow(now: now)
        (self.pace, givenBefore) = (pace, given)
        return isTooSlow && stream.queuedBytes >= StreamSlot.muchMemory && stream.memory.isShort
    }

    /// Whether it was told to end, and never can.
    private func isUnendable(now: Int) -> Bool {
        stream.endsWithPeer && stream.isEnded && ending.isOver(lastWrite: lastGiven, now: now)
    }
}
