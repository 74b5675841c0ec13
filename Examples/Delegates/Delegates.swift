import Broadcasting
import Dispatch
import Synchronization

/// Hears of messages. Whoever keeps no archive leaves `archive` out.
protocol InboxDelegate: AnyObject, Sendable {
    func inboxDidReceive(_ message: String)
    func archive(_ message: String) async
}

extension InboxDelegate {
    func archive(_ message: String) async {}
}

/// Counts on a queue. A `LifetimeOwner`'s registrations go in the moment it does.
final class Badge: InboxDelegate, LifetimeOwner {
    let lifetime = Lifetime()
    private let count = Atomic(0)

    var unread: Int { count.load(ordering: .relaxed) }

    func inboxDidReceive(_ message: String) {
        print("badge: \(count.add(1, ordering: .relaxed).newValue) unread, the last from \(message)")
    }
}

/// An actor, called on itself.
actor Archive: InboxDelegate {
    private(set) var messages: [String] = []

    nonisolated func inboxDidReceive(_ message: String) {}
    func archive(_ message: String) { messages.append(message) }
}

/// `MulticastDelegate`: many delegates, each where it wishes to be called.
@main struct Delegates {
    static func main() async {
        let delegates = MulticastDelegate<any InboxDelegate>()
        let archive = Archive()
        delegates.add(archive, deliver: .actor(archive))
        await showBadge(delegates)

        // Released, as soon as the queue has let go of it, and its registration with it.
        while delegates.count > 1 { await Task.yield() }
        print("delegates: \(delegates.count)")

        // Waits for all of them.
        await delegates.invoke { await $0.archive("Cid") }
        await print("archive: \(archive.messages)")
    }

    private static func showBadge(_ delegates: MulticastDelegate<any InboxDelegate>) async {
        let badge = Badge()
        let queue = DispatchQueue(label: "badge")
        delegates.add(badge, deliver: .queue(queue))
        delegates.add(badge, deliver: .queue(queue))  // Still one registration.
        print("delegates: \(delegates.count)")

        delegates.invoke { $0.inboxDidReceive("Ann") }
        delegates.invoke { $0.inboxDidReceive("Bob") }
        while badge.unread < 2 { await Task.yield() }
    }
}
