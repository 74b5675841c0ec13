/// Whom a transfer belongs to: is called on the transport's thread, inside calls on the multi handle. Nothing here throws,
/// awaits or blocks.
package protocol TransferOwner: AnyObject {
    /// Takes a complete line of a head, with its end; also of heads before the last one (1xx, a tunnel's) and of trailers.
    func receive(line: UnsafeRawBufferPointer)

    /// Takes the next part of the body, which is not empty.
    func receive(body: UnsafeRawBufferPointer) -> BodyAnswer

    /// Whether the address (`sockaddr`), literal or resolved, may be connected to: the very one that is about to be. If not,
    /// the next is tried. Called for handles that were given ``EasyHandle/judgeAddresses()``.
    func permits(address: UnsafeRawBufferPointer) -> Bool

    /// Whether the request is still to be sent, when it is about to be: the last moment at which it can be held back. If not, the
    /// transfer ends.
    func isWanted() -> Bool

    /// Hears that there was no socket for the address that was permitted last (socket(2)).
    func lacksSocket(_ error: Int32)
}

extension TransferOwner {
    package func permits(address: UnsafeRawBufferPointer) -> Bool { true }

    package func isWanted() -> Bool { true }

    package func lacksSocket(_ error: Int32) {}
}

/// What an owner says to a part of a body.
package enum BodyAnswer {
    case taken
    /// It is to come again when the transfer goes on.
    case later
    /// It is too much: the transfer ends.
    case refused
}
