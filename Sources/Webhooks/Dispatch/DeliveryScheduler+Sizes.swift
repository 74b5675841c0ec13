extension DeliveryScheduler {
    /// How much it remembers, by kind: for tests that it does not grow as time passes.
    var sizes: [String: Int] {
        let lanes = lanes.compactMap(\.self)
        return [
            "lanes": self.lanes.count + indices.count,
            "timers": timers.count,
            "turns": sendRing.count + fetchRing.count + parked.count
                + waiting.values.reduce(0) { $0 + $1.count },
            "deliveries": lanes.reduce(0) { $0 + $1.queue.count + $1.tracked.count + $1.renewed.count },
            "attempts": lanes.reduce(probes.count) { $0 + $1.inFlight.count },
            "beginnings": begun.count + slow.count,
            "outcomes": unrecorded.count + recording.count,
        ]
    }
}
