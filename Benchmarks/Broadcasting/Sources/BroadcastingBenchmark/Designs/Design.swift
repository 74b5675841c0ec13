/// A way to tell many observers, ours or another's. Loops are inside, so that what is measured is called directly.
protocol Design: AnyObject {
    static var name: String { get }

    init()

    /// Registers an observer that is called on the poster's thread.
    func register(_ observer: Counter)

    /// Posts something that has every observer count once.
    func notify(times: Int)

    /// Registers an observer and takes it away again.
    func registerAndUnregister(_ observer: Counter, times: Int)
}

/// A design that observers need not tell of their end.
protocol WeakDesign: Design {}

extension Design {
    /// One design with a number of observers, which it returns because not every design keeps them.
    static func populated(_ count: Int) -> (design: Self, observers: [Counter]) {
        let design = Self()
        let observers = (0..<count).map { _ in Counter() }
        for observer in observers { design.register(observer) }
        return (design, observers)
    }
}

/// Those with the promises of `Broadcasting`.
var ownDesigns: [any WeakDesign.Type] {
    [
        BroadcasterDesign.self, ObservableValueDesign.self, ActionCenterDesign.self, MulticastDelegateDesign.self,
        TypedNotificationDesign.self,
    ]
}

/// All, the floor first.
var allDesigns: [any Design.Type] {
    [ClosureArray.self, WeakArray.self] + ownDesigns + [FoundationCenter.self, OpenCombineSubject.self]
}
