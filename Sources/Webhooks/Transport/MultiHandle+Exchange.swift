import CCurl
import HTTPTransport

/// The exchanges behind the handles.
extension MultiHandle {
    /// - Parameter options: how many connections are kept, and how many there may be.
    init?(_ options: TransportOptions) {
        self.init(keptConnections: options.keptConnections, maximumConnections: options.maximumConnections)
    }

    func add(_ exchange: Exchange) -> Bool { unsafe add(exchange.handle) }

    func remove(_ exchange: Exchange) { unsafe remove(exchange.handle) }

    /// The next finished exchange and its result.
    func nextFinished() -> (exchange: Exchange, code: CURLcode)? {
        while let (easy, code) = unsafe nextFinishedHandle() {
            if let exchange = unsafe EasyHandle.owner(of: easy, as: Exchange.self) { return (exchange, code) }
        }
        return nil
    }
}
