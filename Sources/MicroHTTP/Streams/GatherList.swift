import CMicroHTTPD
import Glibc
import Posix

/// Sends many chunks with one system call (`sendmsg(2)` with an array of `iovec`).
///
/// A class so that the array of vectors is allocated once for the writer's life.
@safe
final class GatherList {
    /// All that waited is written; the socket is full; the response has ended in order; the stream or its client is gone.
    enum Outcome { case written, blocked, ended, dropped }

    /// Far below IOV_MAX (1,024) and enough that the call's own cost no longer shows.
    private static let capacity = 256
    /// How many chunks it was given so far.
    private(set) var chunks = 0
    private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: capacity)
    /// The head of a transfer chunk, then its tail.
    private let edges = UnsafeMutableRawBufferPointer.allocate(byteCount: TransferChunk.longestHead + 2, alignment: 1)

    init() {
        unsafe edges[TransferChunk.longestHead] = TransferChunk.tail.0
        unsafe edges[TransferChunk.longestHead + 1] = TransferChunk.tail.1
    }

    deinit {
        unsafe vectors.deallocate()
        unsafe edges.deallocate()
    }

    /// Sends what the slot has and what waits in its stream's outbox, until that is sent or the socket is full.
    ///
    /// What is appended meanwhile waits for its turn: one busy stream must not keep the thread from the others.
    func send(_ slot: inout StreamSlot) -> Outcome {
        // One that was cut is dropped: nobody else closes the outbox of a stream that has a place in the table.
        guard !slot.isBlocked else { return slot.stream.isOver ? .dropped : .blocked }
        switch slot.stream.take(into: &slot.sending) {
        case .opening, .open: break
        case .ending: slot.isEnding = true
        case .ended: return .dropped
        }
        chunks += slot.sending.count
        var first = 0
        defer {
            // As a rule there is one: removeFirst(_:) would cost four times as much.
            if first == slot.sending.count, first == 1 {
                slot.sending.removeLast()
            } else {
                slot.sending.removeFirst(first)
            }
        }
        while first < slot.sending.count || slot.chunk.map({ $0.size > 0 }) ?? false {
            var message = unsafe msghdr()
            unsafe message.msg_iov = vectors
            unsafe message.msg_iovlen = gather(&slot, from: first)
            let sent = unsafe sendmsg(slot.socket.descriptor, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            guard sent >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: return .blocked
                default: return .dropped
                }
            }
            slot.lastWrite = SystemClock.coarse.milliseconds
            let data = slot.chunk?.wrote(sent) ?? sent
            let surcharge = advance(&slot, by: data, first: &first)
            slot.stream.sent(data, surcharge: surcharge)
            slot.pace?.took(data)
            // After a short write too: only an attempt that fails makes the kernel report when there is room again.
        }
        return slot.isEnding ? sendLastChunk(&slot) : .written
    }

    private func sendLastChunk(_ slot: inout StreamSlot) -> Outcome {
        while slot.lastChunkLeft > 0 {
            let sent = unsafe StreamSlot.lastChunk.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes.suffix(slot.lastChunkLeft))
                return unsafe Glibc.send(
                    slot.socket.descriptor,
                    rest.baseAddress,
                    rest.count,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
                )
            }
            guard sent >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: return .blocked
                default: return .dropped
                }
            }
            slot.lastChunkLeft -= sent
        }
        return .ended
    }

    /// Fills the vectors, and returns how many there are: what waits, within a transfer chunk where the response is
    /// chunked. A chunk is begun of what fits the vectors; one that is under way is gone on with.
    private func gather(_ slot: inout StreamSlot, from first: Int) -> Int {
        guard slot.chunk != nil else { return gather(slot, from: first, into: 0, atMost: .max).vectors }
        let left = slot.chunk.map { $0.size == 0 ? .max : $0.dataLeft } ?? .max
        let data = gather(slot, from: first, into: 1, atMost: left)
        slot.chunk?.begin(size: data.bytes)
        guard let chunk = slot.chunk else { return 0 }
        // The first vector is the head's, empty if that was sent.
        let head = unsafe chunk.writeHead(to: edges)
        unsafe vectors[0] = iovec(iov_base: edges.baseAddress, iov_len: head)
        guard data.bytes == chunk.dataLeft else { return 1 + data.vectors }
        let tail = unsafe edges.baseAddress.map { unsafe $0 + TransferChunk.longestHead + 2 - chunk.tailLeft }
        unsafe vectors[1 + data.vectors] = iovec(iov_base: tail, iov_len: chunk.tailLeft)
        return 2 + data.vectors
    }

    /// Fills vectors with what waits, up to so many bytes, and leaves one for what follows.
    private func gather(
        _ slot: borrowing StreamSlot,
        from first: Int,
        into start: Int,
        atMost limit: Int
    ) -> (vectors: Int, bytes: Int) {
        var (count, bytes, offset) = (0, 0, slot.offset)
        while start + count < Self.capacity - 1, first + count < slot.sending.count, bytes < limit {
            let chunk = slot.sending[first + count]
            // The chunk's frame is held by `sending` for the whole call; sendmsg only reads through the base.
            let base = unsafe chunk.frame.bytes.baseAddress.map { unsafe $0 + chunk.range.lowerBound + offset }
            let length = min(chunk.count - offset, limit - bytes)
            unsafe vectors[start + count] = iovec(iov_base: UnsafeMutableRawPointer(mutating: base), iov_len: length)
            offset = 0
            count += 1
            bytes += length
        }
        return (count, bytes)
    }

    /// Moves past the data that was sent. Returns what the chunks that were finished counted for beyond their bytes.
    private func advance(_ slot: inout StreamSlot, by sent: Int, first: inout Int) -> Int {
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
