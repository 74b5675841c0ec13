import EventLog
import MicroHTTP

/// What a program posts goes the same way as what a request posts: its type becomes a line of streams, its content type and
/// its attributes become header fields. So it is checked by the same rules.
extension EventDraft {
    /// The draft as it may be stored.
    ///
    /// - Throws: `event-type-invalid`, `parameter-invalid`, `idempotency-key-invalid`, `cloudevent-invalid`.
    func checked() throws(Problem) -> EventDraft {
        if let type { try EventType.validate(type, parameter: "type") }
        if let contentType { try ContentType.validate(contentType) }
        if let key = idempotencyKey { try PostKey.validate(key.text, parameter: "key") }
        let hops = HopCount.ofTask
        guard attributes != nil || hops > 0 else { return self }
        var kept =
            try attributes.map { bytes throws(Problem) in try EventAttributes(posted: bytes, with: self) }
            ?? EventAttributes()
        kept.hops = max(kept.hops, hops)
        var draft = self
        draft.attributes = kept.stored
        return draft
    }
}
