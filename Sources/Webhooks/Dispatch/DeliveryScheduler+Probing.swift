/// Single attempts, outside of the lanes.
extension DeliveryScheduler {
    /// An attempt that may begin now, whatever its endpoint's window, rate or state.
    ///
    /// - Throws: ``ProbeRefusal``.
    mutating func takeProbe(
        _ delivery: Delivery,
        at target: Target,
        purpose: TransportRequest.Purpose,
        now: Int64
    ) throws(ProbeRefusal) -> TransportRequest {
        guard phase == .running else { throw .stopping }
        let host = target.endpoint.url.host
        // All together take no more than one lane may.
        guard
            purpose.isFetch
                || hasRoom && probes.count < max(limits.inFlight / 8 / weight(of: target), 1)
                    && probes.values.count(where: { $0 == host }) < limits.probesPerHost
        else { throw .busy }
        let request = TransportRequest(
            token: nextToken,
            lane: nil,
            standing: .unknown,
            target: target,
            delivery: delivery,
            purpose: purpose
        )
        nextToken += 1
        probes[request.token] = host
        begin(request, now: now)
        return request
    }
}

/// Why a single attempt is not made.
public enum ProbeRefusal: Error, Sendable {
    /// There are several under way to that host already, or too much altogether.
    case busy
    /// This machine has no descriptors or memory left for it.
    case exhausted
    /// The dispatcher does not run, or ended before the attempt did.
    case stopping
}
