import Tracing

/// What an attempt is in the trace of its event: a span of the program's tracer, or else an id of ours alone.
struct AttemptTrace {
    /// The headers that carry it to the endpoint.
    let fields: [(name: String, value: String)]

    private let span: (any Span)?

    /// The headers that a tracer may set: others could stand in the way of those of a delivery.
    private static let names = ["traceparent", "tracestate"]

    init(of request: TransportRequest, tracer: (any Tracer)?) {
        let traceparent = request.delivery.traceparent.flatMap(Traceparent.init)
        guard let tracer else {
            span = nil
            fields = traceparent.map { [("traceparent", $0.child().description)] } ?? []
            return
        }
        var context = InstrumentationContext.topLevel
        if let traceparent {
            tracer.extract(["traceparent": traceparent.description], into: &context, using: TraceFields())
        }
        let span = tracer.startAnySpan("clarion.deliver", context: context, ofKind: .producer)
        span.updateAttributes { attributes in
            attributes["http.request.method"] = "POST"
            attributes["url.full"] = request.destination.endpoint.url.withoutQueryValues
            attributes["messaging.message.id"] = request.delivery.eventID
            attributes["clarion.observer"] = request.destination.endpoint.id
            attributes["clarion.attempt"] = request.delivery.attempts + 1
        }
        var carrier: [String: String] = [:]
        tracer.inject(span.context, into: &carrier, using: TraceFields())
        // A tracer that does not speak W3C leaves the trace to us.
        if carrier["traceparent"] == nil { carrier["traceparent"] = traceparent?.child().description }
        fields = Self.names.compactMap { name in carrier[name].map { (name, $0) } }
        self.span = span
    }

    /// The attempt is over.
    ///
    /// - Parameter answer: nil if it was broken off.
    func end(_ answer: AttemptAnswer?) {
        guard let span else { return }
        if let status = answer?.status { span.attributes["http.response.status_code"] = status }
        if answer == nil || answer?.failure != nil {
            span.attributes["error.type"] = answer?.failure?.rawValue ?? "aborted"
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}

/// How tracers read and write headers.
package struct TraceFields: Extractor, Injector {
    package init() {}

    package func extract(key: String, from carrier: [String: String]) -> String? { carrier[key.lowercased()] }

    package func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key.lowercased()] = value
    }
}
