/// What can be done at a descriptor, or has happened to it. The bits are those of poll(2), which epoll(7) has, too.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: 0x1)
    package static let writable = Readiness(rawValue: 0x4)

    /// The peer will send nothing more: it is gone, or has closed its half of the connection. On Linux.
    package static let halfClosed = Readiness(rawValue: 0x2000)

    /// To be told once of each change, and not for as long as it lasts ("edge-triggered"). On Linux.
    package static let changesOnly = Readiness(rawValue: 1 << 31)

    /// Of several sets that watch the descriptor for this, one at least is told, and not all (`EPOLLEXCLUSIVE`). On Linux.
    package static let oneOfMany = Readiness(rawValue: 1 << 28)

    /// The connection is gone altogether, which is told whatever was asked for (`POLLERR`, `POLLHUP`, `POLLNVAL`).
    package var isBroken: Bool { rawValue & 0x38 != 0 }
}
