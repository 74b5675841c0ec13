import Dispatch

@testable import Broadcasting

/// Every way of delivery, as an argument of a test.
enum DeliveryMode: CaseIterable {
    case immediate, main, background, serialQueue, concurrentQueue, actor

    static let handingOver = allCases.filter { $0 != .immediate }

    private static let serial = DispatchQueue(label: "serial")
    private static let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    static let desk = Desk()

    var delivery: Delivery {
        switch self {
        case .immediate: .immediate
        case .main: .main
        case .background: .background
        case .serialQueue: .queue(Self.serial)
        case .concurrentQueue: .queue(Self.concurrent)
        case .actor: .actor(Self.desk)
        }
    }
}

/// An actor that does nothing but serialize.
actor Desk {}
