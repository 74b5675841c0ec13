import CMicroHTTPD
import Glibc
import Posix
import Synchronization

/// The streams of an event loop, confined to its thread.
struct StreamTable {
    private var slots: [StreamSlot?] = []
    private var free: [Int] = []
    /// Streams that are over and wait to be given back at the end of the turn.
    private var over: [Int] = []
    private let gather = GatherList()
    private let keepAliveFrame: Frame
    /// How long a silence may be, and how often to look for one, in milliseconds.
    private let silence: Int
    let tick: Int
    private var nextTick = 0

    init(_ shared: OpenStreams) {
        keepAliveFrame = shared.keepAlive.frame
        silence = shared.keepAlive.silence
        tick = shared.keepAlive.tick
    }

    var isEmpty: Bool { free.count == slots.count }

    mutating func insert(_ slot: StreamSlot, of loop: EventLoop, poll: EventPoll) {
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(slot) } else { slots[index] = slot }
        slot.stream.slot.store(index, ordering: .relaxed)
        StreamSlot.configure(slot.socket.descriptor)
        // A send that finds a socket full sets its flag, and only then is there a change to room: a stream that keeps up
        // costs no event.
        let interest: Readiness = [.writable, .halfClosed, .changesOnly]
        guard poll.watch(slot.socket.descriptor, for: interest, token: UInt64(index)) else { return drop(index) }
        if slot.stream.open(on: loop) { write(index) }
    }

    /// Writes streams; returns how many chunks they had.
    mutating func write(_ streams: [DetachedStream]) -> Int {
        let before = gather.chunks
        for stream in streams {
            let index = stream.slot.load(ordering: .relaxed)
            if index >= 0 { write(index) }
        }
        return gather.chunks - before
    }

    /// When a stream was written last, in milliseconds of the monotonic clock; nil if it has no place here.
    func lastWrite(of stream: DetachedStream) -> Int? {
        let index = stream.slot.load(ordering: .relaxed)
        return index < 0 ? nil : slots[index]?.lastWrite
    }

    mutating func handle(token: UInt64, _ readiness: Readiness) {
        let index = Int(token)
        guard slots.indices.contains(index), let stream = slots[index]?.stream else { return }
        if readiness.isBroken || readiness.contains(.halfClosed) && stream.endsWithPeer {
            drop(index)
        } else if readiness.contains(.writable), slots[index]?.isBlocked == true {
            slots[index]?.isBlocked = false
            write(index)
        }
    }

    mutating func keepAlive(now: Int) {
        guard now >= nextTick else { return }
        nextTick = now + tick
        for index in slots.indices {
            guard slots[index]?.isOver == false else { continue }
            if slots[index]?.keepsOthersWaiting(now: now) == true {
                drop(index)
                continue
            }
            guard let slot = slots[index] else { continue }
            // A body that has an end is read at its client's pace, and needs no comments.
            guard slot.stream.endsWithPeer else { continue }
            if slot.isBlocked {
                if slot.stream.isEnded, slots[index]?.isUnendable(now: now) == true { drop(index) }
            } else if now - slot.lastWrite >= silence {
                _ = slot.stream.send(keepAliveFrame.whole)
            }
        }
    }

    mutating func dropAll() {
        for index in slots.indices where slots[index] != nil { drop(index) }
    }

    /// Takes out the streams that are over.
    mutating func takeOver(poll: EventPoll) -> [StreamSlot] {
        guard !over.isEmpty else { return [] }
        let taken = over.compactMap { index in
            let slot = slots[index]
            slots[index] = nil
            free.append(index)
            slot?.stream.slot.store(-1, ordering: .relaxed)
            // Now: when it is given back, the descriptor's number can be another connection's.
            if let slot { poll.remove(slot.socket.descriptor) }
            return slot
        }
        over.removeAll(keepingCapacity: true)
        return taken
    }

    /// Lets go of a stream whose client is gone.
    private mutating func drop(_ index: Int) { finish(index, inOrder: false) }

    private mutating func finish(_ index: Int, inOrder: Bool) {
        guard slots[index]?.isOver == false else { return }
        slots[index]?.isOver = true
        slots[index]?.stream.close(inOrder: inOrder)
        over.append(index)
    }

    private mutating func write(_ index: Int) {
        // In place: through one access, without copies of the slot, which cost as much as all else here.
        switch slots[index]?.write(with: gather) {
        case .ended: finish(index, inOrder: true)
        case .dropped: drop(index)
        case .written, .blocked, nil: break
        }
    }
}
