import Notation

/// A request to the hub, by what is behind its URL.
struct Call: Sendable {
    let method: String
    private let path: String
    private var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?

    /// - Parameter segments: those of the path, as they are before they are encoded.
    init(_ method: String, _ segments: String...) {
        self.init(method, segments)
    }

    init(_ method: String, _ segments: [String]) {
        self.method = method
        path = segments.map { "/" + PercentEncoding.encode($0) }.joined()
    }

    /// Adds a parameter, unless it has no value.
    mutating func ask(_ name: String, _ value: String?) {
        guard let value else { return }
        query.append((name, value))
    }

    /// Asks for events of these types only, or of all if there are none.
    ///
    /// - Throws: `argument-invalid` if the hub would read other types out of it: it takes them as a list with commas.
    mutating func ask(types: [String]) throws(ClientError) {
        for type in types where type.isEmpty || type.contains(",") {
            throw ClientError(
                code: ClientError.argumentInvalid,
                detail: "Events cannot be asked for by the type \"\(type)\": it is empty, or has a comma.",
                parameter: "type"
            )
        }
        ask("type", types.isEmpty ? nil : types.joined(separator: ","))
    }

    /// Gives the request a body.
    mutating func carry(_ bytes: [UInt8], as contentType: String?) {
        body = bytes
        if let contentType { headers.append(("Content-Type", contentType)) }
    }

    /// Path and query.
    var target: String {
        guard !query.isEmpty else { return path }
        let pairs = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
        return "\(path)?\(pairs.joined(separator: "&"))"
    }
}
