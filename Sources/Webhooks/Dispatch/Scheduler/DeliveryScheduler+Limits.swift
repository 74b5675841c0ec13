extension DeliveryScheduler {
    /// Bounds that are the same for all lanes.
    struct Limits {
        var inFlight = 1024
        /// What an attempt at an endpoint that has a name counts for: to look it up takes descriptors, too.
        var perName = 1
        /// Single attempts at a time to one host: whoever tries an endpoint out wants few, and each may hang.
        var probesPerHost = 4
        var queuedBytes = 67_108_864
        /// Outcomes waiting to be recorded before nothing more is begun: a store that fails must not cost memory.
        var unrecorded = 8192
        /// Outcomes of one lane waiting to be recorded before more is read for it: a read returns those again, because
        /// the store has them pending, and one of thousands would hold up everybody.
        var unrecordedPerLane = 512
        /// The most outcomes in one transaction: about 3 ms, which is what posts may have to wait for it.
        var recordBatch = 256
        /// How long an outcome may wait for others before they are recorded, in milliseconds,
        var recordDelay: Int64 = 0
        /// and how many make it not wait.
        var recordAtOnce = 64
    }
}
