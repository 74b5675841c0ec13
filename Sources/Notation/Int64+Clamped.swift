/// Arithmetic on numbers that others have chosen, or a damaged disk: what lies beyond the numbers there are becomes the last of
/// them, and the hub does not end over it.
extension Int64 {
    package func addingClamped(_ other: Int64) -> Int64 { Int64(clamping: Int128(self) + Int128(other)) }

    package func subtractingClamped(_ other: Int64) -> Int64 { Int64(clamping: Int128(self) - Int128(other)) }
}
