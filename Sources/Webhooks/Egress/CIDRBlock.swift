import Notation
public import Posix

/// A range of addresses in CIDR notation (RFC 4632, RFC 4291 section 2.3).
///
/// ```swift
/// let loopback = try CIDRBlock("127.0.0.0/8")
/// let one = try CIDRBlock("::1")          // the same as ::1/128
/// ```
public struct CIDRBlock: Sendable, Hashable, CustomStringConvertible {
    /// The first address of the range.
    public let network: IPAddress

    /// How many leading bits all addresses of the range share: 0 to 32 or 0 to 128.
    public let prefixLength: Int

    /// Parses `address/prefix`, or an address alone, which is a range of one. Host bits that are set are cleared.
    ///
    /// - Throws: ``WebhookError`` with code `cidr-invalid`.
    public init(_ text: String) throws(WebhookError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else {
            throw Self.invalid("'\(text)' is neither an IP address nor a range like 10.0.0.0/8")
        }
        var length = address.family.bitWidth
        if parts.count == 2 {
            guard let given = Int(digits: parts[1].utf8), given <= length else {
                throw Self.invalid("the prefix length of '\(text)' must be a number from 0 to \(length)")
            }
            length = given
        }
        self.init(address, prefixLength: length)
    }

    /// The range of `prefixLength` leading bits around `address`. The length must fit the address's family.
    init(_ address: IPAddress, prefixLength: Int) {
        precondition((0...address.family.bitWidth).contains(prefixLength), "prefix length out of range")
        let hostBits = address.family.bitWidth - prefixLength
        // A shift by the full width yields zero with Swift's smart shifts, which is what /0 wants.
        self.network = IPAddress(family: address.family, bits: (address.bits >> hostBits) << hostBits)
        self.prefixLength = prefixLength
    }

    /// Whether the address is of the same family and inside the range.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.family == network.family else { return false }
        let hostBits = network.family.bitWidth - prefixLength
        return address.bits >> hostBits == network.bits >> hostBits
    }

    /// `network/prefixLength`.
    public var description: String { "\(network)/\(prefixLength)" }

    private static func invalid(_ message: String) -> WebhookError {
        WebhookError(code: .cidrInvalid, message: message)
    }
}
