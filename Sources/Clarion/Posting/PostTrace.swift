import MicroHTTP
import Tracing
import Webhooks

/// What a post is in a trace: a span of the program's tracer if it has one; otherwise what its client said.
struct PostTrace: Sendable {
    /// What is kept with the events.
    let traceparent: Traceparent?

    private let span: (any Span)?

    /// - Parameter tracer: nil if nobody traces.
    init(_ request: Request, tracer: (any Tracer)?) {
        let values = request.headers.values(of: "traceparent")
        // Several are as good as none: nobody knows which is right.
        let given = values.count == 1 ? Traceparent(values[0]) : nil
        guard let tracer else {
            (traceparent, span) = (given, nil)
            return
        }
        var context = InstrumentationContext.topLevel
        if let given { tracer.extract(["traceparent": given.description], into: &context, using: TraceFields()) }
        let span = tracer.startAnySpan("clarion.post", context: context, ofKind: .server)
        var carrier: [String: String] = [:]
        tracer.inject(span.context, into: &carrier, using: TraceFields())
        traceparent = carrier["traceparent"].flatMap(Traceparent.init) ?? given
        self.span = span
    }

    /// The log has answered, or the post was refused before.
    func end(_ result: PostResult) {
        guard let span else { return }
        span.attributes["clarion.result"] = result.rawValue
        if result == .refused { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}
