import CMicroHTTPD
import Glibc

/// Sends many chunks with one system call (`sendmsg(2)` with an array of `iovec`).
///
/// A class so that the array of vectors is allocated once for the writer's life.
@safe
final class GatherList {
    enum Outcome { case written, blocked, dropped }

    /// Far below IOV_MAX (1,024) and enough that the call's own cost no longer shows.
    private static let capacity = 256
    private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: capacity)

    deinit {
        unsafe vectors.deallocate()
    }

    /// Sends what the slot has and what waits in its stream's outbox, until that is sent or the socket is full.
    ///
    /// What is appended meanwhile waits for its turn: one busy stream must not keep the thread from the others.
    func send(_ slot: inout WriterSlot) -> Outcome {
        guard !slot.isBlocked else { return .blocked }
        slot.isEnding = slot.stream.take(into: &slot.sending)
        var first = 0
        defer { slot.sending.removeFirst(first) }
        while first < slot.sending.count {
            var count = 0
            var offset = slot.offset
            while count < Self.capacity, first + count < slot.sending.count {
                let chunk = slot.sending[first + count]
                // The chunk's frame is held by `sending` for the whole call; sendmsg only reads through the base.
                let start = unsafe chunk.frame.bytes.baseAddress.map { unsafe $0 + chunk.range.lowerBound + offset }
                unsafe vectors[count] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: start),
                    iov_len: chunk.count - offset
                )
                offset = 0
                count += 1
            }
            var message = unsafe msghdr()
            unsafe message.msg_iov = vectors
            unsafe message.msg_iovlen = count
            let sent = unsafe sendmsg(slot.connection.socket, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            guard sent >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: return .blocked
                default: return .dropped
                }
            }
            slot.lastWrite = MonotonicMilliseconds.now
            let surcharge = advance(&slot, by: sent, first: &first)
            slot.stream.sent(sent, surcharge: surcharge)
            // After a short write too: only an attempt that fails makes the kernel report when there is room again.
        }
        return .written
    }

    /// Moves past the bytes that were sent. Returns what the chunks that were finished counted for beyond their bytes.
    private func advance(_ slot: inout WriterSlot, by sent: Int, first: inout Int) -> Int {
        var rest = sent
        var surcharge = 0
        while rest > 0 {
            let left = slot.sending[first].count - slot.offset
            if rest < left {
                slot.offset += rest
                return surcharge
            }
            rest -= left
            surcharge += slot.stream.surcharge(of: slot.sending[first])
            slot.offset = 0
            first += 1
        }
        return surcharge
    }
}
