import Locking
import Posix

/// What requests run on: a thread of its own, from the first request until nobody wants another.
final class HTTPLoop: Sendable {
    /// What is left for the thread.
    private struct Inbox {
        var begin: [Download] = []
        var goOn: [Download] = []
        var cancel: [Download] = []
        var wakeUp: WakeUp?
        var hasThread = false
        var isStopping = false
    }

    private let inbox = Lock(Inbox())

    func begin(_ download: Download) {
        let mustStart = leave { inbox in
            inbox.begin.append(download)
            defer { inbox.hasThread = true }
            return !inbox.hasThread
        }
        // It keeps this loop, which nothing else needs to.
        if mustStart { Thread.start(name: "http") { self.run() } }
    }

    /// Has a transfer go on that has paused.
    func goOn(_ download: Download) {
        leave { $0.goOn.append(download) }
    }

    /// Ends a transfer that nobody wants any more. One that has ended is left alone.
    func cancel(_ download: Download) {
        leave { $0.cancel.append(download) }
    }

    /// Ends everything, and the thread.
    func stop() {
        leave { $0.isStopping = true }
    }

    private func leave<Result: Sendable>(_ body: (inout Inbox) -> Result) -> Result {
        inbox.withLock { inbox in
            defer { inbox.wakeUp?.wake() }
            return body(&inbox)
        }
    }

    private func run() {
        guard let multi = MultiHandle(keptConnections: 8) else {
            // What is asked for after this has another thread try.
            let downloads = inbox.withLock { inbox in
                inbox.hasThread = false
                defer { inbox.begin = [] }
                return inbox.begin
            }
            for download in downloads {
                download.buffer.end(.failure(HTTPFailure(.unreachable, "there are no descriptors, or no memory")))
            }
            return
        }
        let wakeUp = multi.wakeUp
        inbox.withLock { $0.wakeUp = wakeUp }
        // What is under way is kept here.
        var active: [ObjectIdentifier: Download] = [:]
        while takeInbox(multi, &active) {
            multi.perform()
            while let (download, ending) = multi.nextFinished(of: Download.self) {
                multi.remove(download.easy)
                download.end(ending)
                active[ObjectIdentifier(download)] = nil
            }
            // To look at the sockets also takes in that the thread was woken: what it was woken for may have been left since.
            if isIdle { multi.wait(milliseconds: 60_000) }
        }
        inbox.withLock { $0.wakeUp = nil }
        for download in active.values { end(download, multi) }
    }

    private var isIdle: Bool {
        inbox.withLock { $0.begin.isEmpty && $0.goOn.isEmpty && $0.cancel.isEmpty && !$0.isStopping }
    }

    /// - Returns: false when it is time to stop.
    private func takeInbox(_ multi: borrowing MultiHandle, _ active: inout [ObjectIdentifier: Download]) -> Bool {
        let work = inbox.withLock { inbox in
            let work = (begin: inbox.begin, goOn: inbox.goOn, cancel: inbox.cancel, isStopping: inbox.isStopping)
            (inbox.begin, inbox.goOn, inbox.cancel) = ([], [], [])
            return work
        }
        for download in work.begin {
            guard multi.add(download.easy) else {
                download.buffer.end(.failure(HTTPFailure(.unreachable, "libcurl has no memory for a request")))
                continue
            }
            active[ObjectIdentifier(download)] = download
        }
        for download in work.goOn where active[ObjectIdentifier(download)] != nil { download.goOn() }
        for download in work.cancel {
            guard active.removeValue(forKey: ObjectIdentifier(download)) != nil else { continue }
            end(download, multi)
        }
        return !work.isStopping
    }

    private func end(_ download: Download, _ multi: borrowing MultiHandle) {
        multi.remove(download.easy)
        download.buffer.end(.failure(HTTPFailure(.cancelled, "nobody wants the answer any more")))
    }
}
