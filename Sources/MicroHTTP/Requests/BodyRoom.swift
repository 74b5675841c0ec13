/// The room that a whole body takes in a ``BodyMemory`` for as long as this lives: until its request is answered, or was made
/// something else of, such as an event that the log counts.
final class BodyRoom: Sendable {
    private let bytes: Int
    private let memory: BodyMemory

    /// Takes over room that was taken as the body came.
    init(of bytes: Int, in memory: BodyMemory) {
        (self.bytes, self.memory) = (bytes, memory)
    }

    deinit {
        memory.giveBack(bytes)
    }
}
