import CoreMetrics
import MicroHTTP
import Prometheus
import Synchronization

/// Counts the answers of one route. A series comes into being with its first answer, after which counting takes no lock.
///
/// `@unchecked Sendable`: the counters are atomic references, and are freed when nobody has this any more.
@safe
final class RouteMetrics: @unchecked Sendable {
    /// The method by which this route posts events; nil if it does not.
    let posts: Method?

    private let route: String
    private let factory: any MetricsFactory
    private let duration: Timer
    /// By method and status.
    private let counters: UnsafeMutablePointer<AtomicLazyReference<Counter>>

    static let methods: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]
    private static let statuses = [
        200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 414, 415, 421, 422, 429, 431, 500, 502,
        503, 505, 507, 508,
    ]
    private static let places = (methods.count + 1) * (statuses.count + 1)

    init(_ route: String, _ factory: any MetricsFactory) {
        self.route = route
        self.factory = factory
        posts =
            switch route {
            case "/topics/{topic}/events": .post
            case "/topics/{topic}/value": .put
            default: nil
            }
        duration = Timer(
            label: Metric.requestDuration.name,
            dimensions: [("route", route)],
            factory: factory
        )
        unsafe counters = .allocate(capacity: Self.places)
        for place in 0..<Self.places { unsafe (counters + place).initialize(to: AtomicLazyReference()) }
    }

    deinit {
        unsafe counters.deinitialize(count: Self.places)
        unsafe counters.deallocate()
    }

    func count(_ request: ServedRequest) {
        duration.recordNanoseconds(request.duration)
        counter(request.method, request.status).increment()
    }

    private func counter(_ method: Method?, _ status: Status) -> Counter {
        let row = Self.methods.firstIndex { $0 == method } ?? Self.methods.count
        let column = Self.statuses.firstIndex(of: status.code) ?? Self.statuses.count
        let place = row * (Self.statuses.count + 1) + column
        if let present = unsafe counters[place].load() { return present }
        let made = Counter(
            label: Metric.requests.name,
            dimensions: [
                ("route", route),
                ("method", RequestMetrics.name(of: method)),
                ("status", column < Self.statuses.count ? "\(status.code)" : RequestMetrics.unknown),
            ],
            factory: factory
        )
        return unsafe counters[place].storeIfNil(made)
    }
}
