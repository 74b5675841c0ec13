import InMemoryTracing
import Tracing

@testable import Webhooks

/// Keeps spans in memory, and carries them in `traceparent` as tracers do that send them somewhere.
struct RecordingTracer: Tracer {
    let memory = InMemoryTracer(
        idGenerator: .init(
            nextTraceID: { hexadecimal(digits: 32) },
            nextSpanID: { hexadecimal(digits: 16) }
        )
    )

    private static func hexadecimal(digits: Int) -> String {
        String((0..<digits).map { _ in "123456789abcdef".randomElement() ?? "1" })
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let read = extractor.extract(key: "traceparent", from: carrier).flatMap(Traceparent.init) else { return }
        context.inMemorySpanContext = InMemorySpanContext(
            traceID: read.traceID,
            spanID: read.parentID,
            parentSpanID: nil
        )
    }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "Traceparent", into: &carrier)
        injector.inject("evil", forKey: "webhook-id", into: &carrier)
    }
}
