import Notation

/// Where the log of a cluster is, and which one.
///
/// ```swift
/// try ClusterAddress("nats://a:4222,nats://b:4222?name=shop")
/// ```
public struct ClusterAddress: Hashable, Sendable {
    /// The addresses of servers, any one of which leads to all of them. Names and passwords are decoded: libnats takes
    /// them as they stand, up to the last `@`.
    public let servers: [String]

    /// The name of the log: all nodes that give the same one are one cluster. `clarion` unless told otherwise.
    public let name: String

    /// On how many servers the log is kept: 1, 3 or 5. Counts when the log is made.
    public let replicas: Int

    /// Whether the servers are spoken to by TLS.
    let isSecure: Bool

    /// The servers without what is secret: hosts and ports.
    public var hosts: [String] {
        servers.map { server in
            let address = server.drop { $0 != "/" }.drop { $0 == "/" }
            return String(address.split(separator: "@").last ?? "")
        }
    }

    /// Reads the value of `--log`.
    /// - Throws: ``Fault`` in words for who gave it.
    public init(_ text: String) throws(Fault) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let servers = (parts.first ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var decoded: [String] = []
        for server in servers {
            let address = ["nats://", "tls://"].lazy.compactMap { scheme in
                server.hasPrefix(scheme) ? server.dropFirst(scheme.count) : nil
            }.first
            guard let address, !address.isEmpty, !address.contains(where: { "/#".contains($0) || $0.isWhitespace })
            else {
                // What stands before the @ is secret, and it may be what is wrong.
                let host = server.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
                let hint = host.count == server.count ? "" : "; \(Self.hint)"
                throw Fault("\"\(host)\" is no address of a server, such as nats://host:4222\(hint)")
            }
            try Self.check(address.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
            decoded.append(server.dropLast(address.count) + (try Self.decoded(address)))
        }
        var (name, replicas) = ("clarion", servers.count >= 3 ? 3 : 1)
        for setting in parts.dropFirst().first?.split(separator: "&") ?? [] {
            if setting.contains("@") { throw Fault(Self.hint) }
            let pair = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = pair.first, let value = pair.dropFirst().first else {
                throw Fault("\"\(setting)\" is no setting such as name=shop")
            }
            switch key {
            case "name":
                guard (1...64).contains(value.utf8.count), value.utf8.allSatisfy(Self.isPlain) else {
                    throw Fault("a log is named in 1 to 64 of A-Z, a-z, 0-9, - and _, not \"\(value)\"")
                }
                name = String(value)
            case "replicas":
                guard let count = Int(value), [1, 3, 5].contains(count) else {
                    throw Fault("replicas are 1, 3 or 5, not \"\(value)\"")
                }
                replicas = count
            default: throw Fault("there is no setting \"\(key)\": there are name and replicas")
            }
        }
        self.servers = decoded
        self.name = name
        self.replicas = replicas
        isSecure = servers.contains { $0.hasPrefix("tls://") }
    }

    /// What is wrong with an address.
    public struct Fault: Error, Sendable {
        /// In words for who gave it.
        public let message: String

        init(_ message: String) { self.message = message }
    }

    /// What may be meant where a part looks like that of a password.
    private static let hint =
        "what is special in a user's name or password is percent-encoded (%2F for /, %3F for ?, %2C for a comma)"

    /// Sees that a host and a port can be ones: libnats would look for them in vain.
    private static func check(_ host: Substring) throws(Fault) {
        var (name, port) = (host, nil as Substring?)
        if host.hasPrefix("[") {
            let parts = host.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            name = parts[0]
            guard let rest = parts.dropFirst().first, rest.isEmpty || rest.hasPrefix(":") else {
                throw Fault("an IPv6 address is written in brackets, such as nats://[::1]:4222")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = host.lastIndex(of: ":") {
            (name, port) = (host[..<colon], host[colon...].dropFirst())
        }
        if host.isEmpty || name.isEmpty && port == nil { throw Fault("an address names no host") }
        guard let port else { return }
        // What stands there may be a password whose rest was taken for something else.
        guard let number = UInt16(digits: port.utf8), number > 0 else {
            throw Fault("the port of \"\(name)\" is no number from 1 to 65535; \(hint)")
        }
    }

    /// Decodes the name and password of an address.
    private static func decoded(_ address: Substring) throws(Fault) -> String {
        guard let end = address.lastIndex(of: "@") else { return String(address) }
        let host = address[end...].dropFirst()
        var parts: [String] = []
        for part in address[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) {
            guard let text = PercentDecoding.decode(Array(part.utf8)), text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
            else {
                throw Fault("the user or password at \(host) cannot be read: a % in them is written as %25")
            }
            parts.append(text)
        }
        if parts.first?.contains(":") != false {
            throw Fault("the user at \(host) has a colon in its name, which libnats cannot send: give it another")
        }
        return parts.joined(separator: ":") + "@" + host
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || "-_".utf8.contains(byte) }
}
