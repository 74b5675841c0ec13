/// Single attempts, outside of the lanes.
extension DeliveryScheduler {
    /// An attempt that may begin now, whatever its endpoint's window, rate or state.
    ///
    /// - Throws: ``ProbeRefusal``.
    mutating func takeProbe(
        _ delivery: Delivery,
        at target: Target,
        purpose: TransportRequest.Purpose
    ) throws(ProbeRefusal) -> TransportRequest {
        guard phase == .running else { throw .stopping }
        let url = target.endpoint.url
        guard hasRoom, probes.values.count(where: { $0 == url }) < limits.probesPerURL else {
            throw .busy
        }
        defer {
            probes[nextToken] = url
            nextToken += 1
            inFlight += weight(of: target)
        }
        return TransportRequest(
            token: nextToken,
            lane: nil,
            standing: .proven,
            target: target,
            delivery: delivery,
            purpose: purpose
        )
    }
}

/// Why a single attempt is not made.
public enum ProbeRefusal: Error, Sendable {
    /// There are several under way to that URL already, or too much altogether.
    case busy
    /// This machine has no descriptors or memory left for it.
    case exhausted
    /// The dispatcher does not run, or ended before the attempt did.
    case stopping
}
