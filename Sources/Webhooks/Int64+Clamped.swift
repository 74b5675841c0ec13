/// Arithmetic on times whose parts others have chosen: what lies beyond the numbers there are becomes the last of them, and
/// the hub does not end over it.
extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 { Int64(clamping: Int128(self) + Int128(other)) }

    func subtractingClamped(_ other: Int64) -> Int64 { Int64(clamping: Int128(self) - Int128(other)) }
}
