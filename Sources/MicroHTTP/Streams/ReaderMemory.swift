import Locking
import Synchronization

/// The one budget of everything that waits to be written to clients, whoever reads slowly.
///
/// Each ``Frame`` counts its bytes for as long as it lives, so one that many streams share counts once. Answers that are
/// kept whole, and pages of the log that are on their way to a reader, count by a ``MemoryHold``. Who may not go on for
/// want of room waits here, and is let on in turn.
///
/// One stream's share shrinks as the budget fills: its outbox may hold no more than what is still free (dynamic
/// thresholds, Choudhury and Hahne 1998). So however many stand still, something is left for those that read, and no
/// limit on their number is needed for that.
public final class ReaderMemory: Sendable {
    private struct Waiter: Sendable {
        let number: Int
        let bytes: Int
        let tell: @Sendable (Bool) -> Void
    }

    private struct Queue {
        var waiters: [Waiter] = []
        var lastNumber = 0
        var isShut = false
    }

    /// What everything together may take, in bytes; it may be passed by what was under way when it was reached.
    public let limit: Int

    private let used = Atomic<Int>(0)
    /// How many wait, so that giving back costs no lock as long as nobody does.
    private let waiting = Atomic<Int>(0)
    private let queue = Lock(Queue())

    /// A budget; without a limit it only counts.
    public init(limit: Int = .max) {
        self.limit = max(limit, 1)
    }

    /// What is taken now, in bytes.
    public var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Whether nothing is left.
    public var isExhausted: Bool { usedBytes >= limit }

    /// Whether somebody waits for room, or would have to.
    var isShort: Bool { waitingCount > 0 || share == 0 }

    /// How many wait for room.
    var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// What one stream's outbox may hold now, in bytes. An eighth is kept for pages of the log that are on their way, so
    /// that who reads always finds somebody who reads for it.
    public var share: Int { max(0, limit - limit / 8 - usedBytes) }

    /// Takes room without asking: for what is there already.
    func add(_ bytes: Int) {
        used.add(bytes, ordering: .relaxed)
    }

    /// Gives room back and lets on who waits for it. On any thread, also inside an outbox's lock, whose holder nothing
    /// here calls.
    func remove(_ bytes: Int) {
        // In one order with `waiting`: either this sees who waits, or that one sees what was given back.
        used.subtract(bytes, ordering: .sequentiallyConsistent)
        if waiting.load(ordering: .sequentiallyConsistent) > 0 { admit() }
    }

    /// Takes room for so many bytes, for as long as what is returned lives; waits for it in turn.
    ///
    /// What is more than a quarter of the budget waits for that quarter only: it could never be had otherwise.
    ///
    /// - Returns: nil if the task is cancelled, or nobody may wait any more.
    public func hold(_ bytes: Int) async -> MemoryHold? {
        let number = queue.withLock { queue in
            queue.lastNumber += 1
            return queue.lastNumber
        }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(Waiter(number: number, bytes: bytes) { continuation.resume(returning: $0) })
                // Cancelled before it was in the queue, where the handler did not find it then.
                if Task.isCancelled { giveUp(number) }
            }
        } onCancel: {
            giveUp(number)
        }
        return isGranted ? MemoryHold(bytes, of: self) : nil
    }

    /// The same, but does not wait: nil if there is no room now, or others wait for it.
    public func holdNow(_ bytes: Int) -> MemoryHold? {
        let isGranted = queue.withLock { queue in
            guard queue.waiters.isEmpty, hasRoom(for: bytes) else { return false }
            used.add(bytes, ordering: .relaxed)
            return true
        }
        return isGranted ? MemoryHold(bytes, of: self) : nil
    }

    /// The same, but waits no longer than `longestWait`, and then returns nil.
    public func hold(_ bytes: Int, within longestWait: Duration) async -> MemoryHold? {
        await withTaskGroup(of: MemoryHold?.self) { group in
            group.addTask { await self.hold(bytes) }
            group.addTask {
                try? await Task.sleep(for: longestWait)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            if first != nil { return first }
            // It may have been let on at the very end.
            return await group.next() ?? nil
        }
    }

    /// Sends all that wait away. Nobody waits from now on: who finds room at once gets it still, so that what was begun can
    /// be finished.
    public func stopWaiting() {
        let sent = queue.withLock { queue in
            queue.isShut = true
            waiting.store(0, ordering: .sequentiallyConsistent)
            defer { queue.waiters = [] }
            return queue.waiters
        }
        for waiter in sent { waiter.tell(false) }
    }

    private func enqueue(_ waiter: Waiter) {
        let isGranted: Bool? = queue.withLock { queue in
            if queue.waiters.isEmpty, hasRoom(for: waiter.bytes) {
                used.add(waiter.bytes, ordering: .relaxed)
                return true
            }
            if queue.isShut { return false }
            queue.waiters.append(waiter)
            waiting.store(queue.waiters.count, ordering: .sequentiallyConsistent)
            return nil
        }
        // What was given back before it stood in the queue told nobody.
        if let isGranted { waiter.tell(isGranted) } else { admit() }
    }

    private func giveUp(_ number: Int) {
        let late = queue.withLock { queue -> Waiter? in
            guard let index = queue.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            defer { waiting.store(queue.waiters.count, ordering: .sequentiallyConsistent) }
            return queue.waiters.remove(at: index)
        }
        late?.tell(false)
        // Who waits behind may want less.
        if late != nil { admit() }
    }

    private func hasRoom(for bytes: Int) -> Bool {
        used.load(ordering: .sequentiallyConsistent) <= limit - min(bytes, limit / 4)
    }

    /// Lets on, in turn, those for whom there is room.
    private func admit() {
        let admitted = queue.withLock { queue in
            let count = queue.waiters.prefix { waiter in
                let isRoom = hasRoom(for: waiter.bytes)
                if isRoom { used.add(waiter.bytes, ordering: .relaxed) }
                return isRoom
            }.count
            defer {
                queue.waiters.removeFirst(count)
                waiting.store(queue.waiters.count, ordering: .sequentiallyConsistent)
            }
            return Array(queue.waiters.prefix(count))
        }
        for waiter in admitted { waiter.tell(true) }
    }
}

/// Room that was taken in a ``ReaderMemory``; given back when it is released.
public final class MemoryHold: Sendable {
    /// How much it is.
    public let bytes: Int
    private let memory: ReaderMemory

    fileprivate init(_ bytes: Int, of memory: ReaderMemory) {
        self.bytes = bytes
        self.memory = memory
    }

    deinit {
        memory.remove(bytes)
    }
}
