import EventLog
import MicroHTTP
import Notation

/// Where the hub's own resources are: paths, below its public URL if it has one.
struct Links: Sendable {
    /// Empty, or a URL without a slash at its end.
    private let base: String

    init(_ publicURL: PublicURL?) {
        base = publicURL?.text ?? ""
    }

    /// Byte by byte: every post is answered with one.
    func event(_ event: Event) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(base.utf8.count + event.topic.name.utf8.count + 64)
        bytes.append(contentsOf: base.utf8)
        bytes.append(contentsOf: "/topics/".utf8)
        PercentEncoding.append(event.topic.name, but: .unreserved, to: &bytes)
        bytes.append(contentsOf: "/events/".utf8)
        event.id.write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    func observer(_ id: ObserverID) -> String { "\(base)/observers/\(id)" }

    /// The next page of a history. Without a public URL it is a query alone, relative to the page (RFC 3986 section 5.2.2),
    /// so that it holds also where a proxy has given the hub another path.
    func page(of target: Target, after id: EventID) -> String {
        // Where this page began does not matter any more, and a credential is never repeated.
        let left = ["after", "since", "last", ShownCredential.parameter]
        let others = target.query.parameters.filter { !left.contains($0.name) }
        let pairs = others.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))&" }
        let path = base.isEmpty ? "" : base + target.segments.map { "/\(PercentEncoding.encode($0))" }.joined()
        return "\(path)?\(pairs.joined())after=\(id)"
    }
}
