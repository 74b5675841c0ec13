import CoreMetrics
import Foundation
import Testing

@testable import Prometheus

@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry([
        MetricDescription("things_total", .counter, labels: ["kind"], "What there was,\nwith a \\."),
        MetricDescription("level", .gauge, "How high."),
        MetricDescription("took_seconds", .histogram(bounds: [0.001, 0.5, 2]), "How long."),
        MetricDescription("taken_events", .histogram(bounds: [1, 10]), "How many."),
        MetricDescription("never_total", .counter, labels: ["kind"], "Nothing."),
    ])

    @Test func `everything stands in the text as Prometheus reads it`() {
        Counter(label: "things_total", dimensions: [("kind", "b")], factory: registry).increment(by: 2)
        Counter(label: "things_total", dimensions: [("kind", "a\"\\\n")], factory: registry).increment()
        // A series has one value, however many instruments there are of it.
        Counter(label: "things_total", dimensions: [("kind", "b")], factory: registry).increment()
        let level = Meter(label: "level", factory: registry)
        level.set(3)
        level.increment(by: 0.5)
        level.decrement(by: 1)
        let timer = Timer(label: "took_seconds", factory: registry)
        for nanoseconds in [0, 1_000_000, 1_000_001, 2_000_000_000, 2_000_000_001] as [Int64] {
            timer.recordNanoseconds(nanoseconds)
        }
        let recorder = Recorder(label: "taken_events", factory: registry)
        for count in [1, 2, 100] { recorder.record(count) }
        let text = registry.exposition(with: [
            MetricReading(MetricDescription("read_bytes", .gauge, "Read."), 12_345_678_901)
        ])
        #expect(
            text == """
                # HELP things_total What there was,\\nwith a \\\\.
                # TYPE things_total counter
                things_total{kind="a\\"\\\\\\n"} 1
                things_total{kind="b"} 3
                # HELP level How high.
                # TYPE level gauge
                level 2.5
                # HELP took_seconds How long.
                # TYPE took_seconds histogram
                took_seconds_bucket{le="0.001"} 2
                took_seconds_bucket{le="0.5"} 3
                took_seconds_bucket{le="2"} 4
                took_seconds_bucket{le="+Inf"} 5
                took_seconds_sum 4.002000002
                took_seconds_count 5
                # HELP taken_events How many.
                # TYPE taken_events histogram
                taken_events_bucket{le="1"} 1
                taken_events_bucket{le="10"} 2
                taken_events_bucket{le="+Inf"} 3
                taken_events_sum 103
                taken_events_count 3
                # HELP read_bytes Read.
                # TYPE read_bytes gauge
                read_bytes 12345678901

                """
        )
    }

    @Test func `threads that count at once lose nothing`() {
        let counter = Counter(label: "things_total", dimensions: [("kind", "x")], factory: registry)
        let timer = Timer(label: "took_seconds", factory: registry)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 {
                counter.increment()
                timer.recordNanoseconds(1)
            }
        }
        let text = registry.exposition()
        #expect(text.contains("\nthings_total{kind=\"x\"} 80000\n"))
        #expect(text.contains("\ntook_seconds_count 80000\n"))
        #expect(text.contains("\ntook_seconds_sum 8e-05\n"))
    }

    @Test func `what is made by many at once is one`() {
        DispatchQueue.concurrentPerform(iterations: 64) { [registry] _ in
            Counter(label: "things_total", dimensions: [("kind", "x")], factory: registry).increment()
        }
        #expect(registry.exposition().contains("\nthings_total{kind=\"x\"} 64\n"))
    }

    @Test func `the process is read as it is`() throws {
        let readings = Dictionary(
            uniqueKeysWithValues: ProcessReadings.all.map { ($0.description.name, $0.value) }
        )
        #expect(readings.count == ProcessReadings.descriptions.count)
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect(abs((readings["process_open_fds"] ?? 0) - Double(files)) < 3)
        #expect((readings["process_resident_memory_bytes"] ?? 0) > 1_000_000)
        #expect((readings["process_cpu_seconds_total"] ?? 0) > 0)
        let age = Date().timeIntervalSince1970 - (readings["process_start_time_seconds"] ?? 0)
        #expect((-2...3_600).contains(age))
    }
}
