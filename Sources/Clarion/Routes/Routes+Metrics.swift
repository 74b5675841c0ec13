import MicroHTTP
import Prometheus

extension Routes {
    /// `GET /metrics`.
    mutating func addMetrics(_ hub: Hub) {
        on(.get, "/metrics", .readMetrics, needs: .manageEverything) { [weak hub] _ throws(Problem) in
            guard hub != nil else { throw Problem.draining }
            // Not in the room of other answers: it is wanted most when there is none left.
            return .later { [weak hub] responder in
                hub?.work.start(for: responder) { [weak hub] in
                    guard let hub else { return }
                    await hub.readGauges()
                    let text = hub.metrics.registry.exposition(with: ProcessReadings.all)
                    responder.respond(
                        Response(
                            .ok,
                            headers: [
                                ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),
                                ("Cache-Control", "no-store"),
                            ],
                            body: Array(text.utf8)
                        )
                    )
                }
            }
        }
    }
}

extension Hub {
    /// How often a backend of the program's own gets the gauges.
    static let gaugeInterval = Duration.seconds(10)

    /// Reads what the hub has at this moment.
    func readGauges() async {
        await gauges.read(
            from: log,
            streams,
            directory,
            dispatcher,
            waitingBytes: readerMemory.usedBytes,
            bodyBytes: bodyBytes
        )
        await clusterGauges?.read()
    }
}
