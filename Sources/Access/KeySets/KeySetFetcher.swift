public import FoundationEssentials

/// Gets key sets from `http:` and `https:` URLs.
///
/// ```swift
/// struct Fetched: KeySetFetcher {
///     func fetch(_ url: URL) async throws -> [UInt8] { try await transport.get(url, atMost: 1 << 20) }
/// }
/// ```
public protocol KeySetFetcher: Sendable {
    /// The body of a 200 answer, at most a mebibyte of it.
    ///
    /// - Throws: anything if there is none within seconds. It is called again a minute later at the earliest.
    func fetch(_ url: URL) async throws -> [UInt8]

    /// Why a URL can never be fetched, as a sentence, told without the network; nil, as unless told otherwise, if that is not
    /// known. A credentials file that names such a URL is refused.
    func refusal(of url: URL) -> String?
}

extension KeySetFetcher {
    /// Nil: any may be fetched.
    public func refusal(of url: URL) -> String? { nil }
}
