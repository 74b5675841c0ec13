import Broadcasting

/// What everything conforms to that shows a title.
protocol TitleUpdating: AnyObject, Sendable {
    func update(title: String)
}

/// Belongs to the main actor, and is called there: `.main` is a broadcaster's default.
@MainActor final class Label: TitleUpdating {
    private(set) var text = ""

    nonisolated func update(title: String) {
        MainActor.assumeIsolated {
            text = title
            print("label shows \(title)")
        }
    }
}

/// Wants every title before the post returns.
final class History: TitleUpdating {
    func update(title: String) { print("history notes \(title)") }
}

/// `Broadcaster`: observers by protocol, each called where it wishes.
@main struct Titles {
    // An asynchronous `main` runs the main loop, without which nothing is delivered to `.main` on Linux.
    @MainActor static func main() async {
        let broadcaster = Broadcaster.shared
        let label = Label()
        var history: History? = History()
        broadcaster.register((any TitleUpdating).self, observer: label)
        if let history { broadcaster.register((any TitleUpdating).self, observer: history, deliver: .immediate) }

        broadcaster.notify((any TitleUpdating).self) { $0.update(title: "Hello") }
        print("posted")
        while label.text != "Hello" { await Task.yield() }

        // Nobody unregisters: a released observer is no observer.
        history = nil
        print("observers: \(broadcaster.count(of: (any TitleUpdating).self))")
        broadcaster.notify((any TitleUpdating).self) { $0.update(title: "Goodbye") }
        while label.text != "Goodbye" { await Task.yield() }

        broadcaster.unregister(observer: label)
        print("observers: \(broadcaster.count(of: (any TitleUpdating).self))")
    }
}
