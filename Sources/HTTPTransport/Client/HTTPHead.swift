import Notation

/// The status and the fields of an answer.
package struct HTTPHead: Sendable {
    /// 200 to 599.
    package var status: Int

    /// The fields as they came, names in whatever case.
    package var headers: [(name: String, value: String)] = []

    package init(status: Int) {
        self.status = status
    }

    /// The first field of a name, in whatever case.
    package subscript(name: String) -> String? {
        let name = name.asciiLowercased
        return headers.first { $0.name.utf8.isEqual(to: name) }?.value
    }
}

/// Reads heads line by line: those that come before the last one (`100 Continue`) are passed over.
struct HTTPHeadReader {
    private var head: HTTPHead?

    /// Takes the next line.
    ///
    /// - Returns: the head, if it ends here and is an answer.
    mutating func take(_ line: some Collection<UInt8>) -> HTTPHead? {
        let text = String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
        if text.hasPrefix("HTTP/") {
            let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            head = status.map { HTTPHead(status: $0) }
        } else if text.isEmpty {
            guard let head, head.status >= 200 else { return nil }
            self.head = nil
            return head
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            head?.headers.append((String(text[..<colon]), String(value)))
        }
        return nil
    }
}
