import Broadcasting

/// Actions are cases of an enum, or names.
enum AppAction: Action { case colorChanged, textChanged }

/// Belongs to the main actor, where blocks are called unless they ask for something else.
@MainActor final class Page {
    private(set) var color = "white"

    init(_ actions: ActionCenter) {
        actions.on(AppAction.colorChanged, observer: self) { page, payload in
            page.color = payload["hex"] as? String ?? "white"
            print("page: \(page.color)")
        }
    }
}

/// Counts avatars on the sender's thread.
final class AvatarLog: Sendable {
    init(_ actions: ActionCenter, greeting: String) {
        listen(to: actions, greeting: greeting)
    }

    func listen(to actions: ActionCenter, greeting: String) {
        actions.on("avatar.changed", observer: self, deliver: .immediate) { _, payload in
            print("\(greeting), \(payload["user"] ?? "nobody")")
        }
    }
}

/// `ActionCenter`: actions with a payload, bound to the life of who observes them.
@main struct Actions {
    @MainActor static func main() async {
        let actions = ActionCenter.shared
        let page = Page(actions)
        var log: AvatarLog? = AvatarLog(actions, greeting: "Hello")

        actions.send(AppAction.colorChanged, payload: ["hex": "#0af"])
        actions.send("avatar.changed", payload: ["user": "zzf"])
        while page.color != "#0af" { await Task.yield() }

        // The same observer and action again: the block is replaced, not added.
        log?.listen(to: actions, greeting: "Welcome back")
        actions.send("avatar.changed", payload: ["user": "zzf"])

        // Names match exactly, and a name is never an action.
        actions.send("changed", payload: ["user": "nobody"])
        actions.send("colorChanged", payload: ["hex": "#f00"])

        log = nil
        actions.send("avatar.changed", payload: ["user": "nobody"])

        actions.remove(AppAction.colorChanged, observer: page)
        print("end")
    }
}
