/// Single attempts, outside of the lanes.
extension DeliveryScheduler {
    /// An attempt that may begin now, whatever its endpoint's window, rate or state.
    ///
    /// - Throws: ``ProbeRefusal``.
    mutating func takeProbe(
        _ delivery: DueDelivery,
        at destination: Destination,
        purpose: TransportRequest.Purpose,
        now: Int64
    ) throws(ProbeRefusal) -> TransportRequest {
        guard phase == .running else { throw .stopping }
        let (host, hosts) = (destination.endpoint.url.host, purpose.isFetch ? [] : attempts.probedHosts)
        // All together take no more than one lane may.
        guard
            purpose.isFetch
                || attempts.hasRoom && hosts.count < max(limits.inFlight / 8 / attempts.weight(of: destination), 1)
                    && hosts.count(where: { $0 == host }) < limits.probesPerHost
        else { throw .busy }
        return attempts.begin(delivery, to: destination, of: .probe(host: host), .unknown, purpose: purpose, now: now)
    }
}

/// Why a single attempt is not made.
package enum ProbeRefusal: Error, Sendable {
    /// There are several under way to that host already, or too much altogether.
    case busy
    /// This machine has no descriptors or memory left for it.
    case exhausted
    /// The dispatcher does not run, or ended before the attempt did.
    case stopping
}
