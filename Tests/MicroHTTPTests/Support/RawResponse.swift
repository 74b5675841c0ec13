/// A response as it came over the wire.
struct RawResponse {
    let status: Int
    let statusLine: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension RawClient {
    /// Reads a response's head.
    func takeHead() throws -> RawResponse {
        let lines = try take(through: "\r\n\r\n").split(separator: "\r\n")
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts.last?.drop { $0 == " " } ?? ""))
        }
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return RawResponse(status: status ?? 0, statusLine: String(lines[0]), headers: headers, body: [])
    }

    /// Reads a response with a body of known length.
    func takeResponse(hasBody: Bool = true) throws -> RawResponse {
        let head = try takeHead()
        let length = hasBody ? head["Content-Length"].flatMap { Int($0) } ?? 0 : 0
        return RawResponse(
            status: head.status,
            statusLine: head.statusLine,
            headers: head.headers,
            body: try take(length)
        )
    }

    /// Sends a request and reads its response.
    func exchange(
        _ method: String = "GET",
        _ target: String,
        headers: [String] = [],
        body: [UInt8]? = nil
    ) throws -> RawResponse {
        var fields = ["Host: localhost"] + headers
        if let body { fields.append("Content-Length: \(body.count)") }
        let head = "\(method) \(target) HTTP/1.1\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n"
        try send(bytes: Array(head.utf8) + (body ?? []))
        return try takeResponse(hasBody: method != "HEAD")
    }
}
