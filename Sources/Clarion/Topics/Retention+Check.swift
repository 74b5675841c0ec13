import EventLog

extension Retention {
    /// Checks bounds of a program as those of a request are checked.
    ///
    /// - Throws: ``HubError`` with code `member-invalid` and the member's pointer.
    func check() throws(HubError) {
        try Self.check("events", events, in: Int64(Self.eventBounds.lowerBound)...Int64(Self.eventBounds.upperBound))
        try Self.check("age", age, in: Self.ageBounds)
        try Self.check("bytes", bytes, in: Int64(Self.byteBounds.lowerBound)...Int64(Self.byteBounds.upperBound))
    }

    private static func check(_ name: String, _ value: Int64?, in range: ClosedRange<Int64>) throws(HubError) {
        guard let value, !range.contains(value) else { return }
        throw HubError(
            code: "member-invalid",
            message: "\"\(name)\" must be from \(range.lowerBound) to \(range.upperBound).",
            pointer: "/retention/\(name)"
        )
    }
}
