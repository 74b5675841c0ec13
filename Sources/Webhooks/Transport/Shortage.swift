/// What this machine lacked, so that an attempt could not be made: descriptors, memory, ports, threads.
struct Shortage: Hashable, Sendable {
    /// One sentence for the operator.
    let message: String
}
