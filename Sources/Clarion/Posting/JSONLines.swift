import JSON
import MicroHTTP

/// Newline-delimited JSON (`application/x-ndjson`): one JSON text per line, in UTF-8.
enum JSONLines {
    /// The lines that are not blank, without the line ends.
    ///
    /// - Throws: `body-invalid` for a line that is not JSON, `batch-too-large` if there are more of them than that.
    static func values(of body: [UInt8], atMost limit: Int) throws(Problem) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var number = 0
        var rest = body[...]
        // Line by line: an array of all of them would take many times the memory of a body of blank lines.
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            let value = trimmed(line)
            if value.isEmpty { continue }
            guard values.count < limit else { throw Problem.batchTooLarge(limit: limit) }
            do throws(JSONFault) {
                _ = try JSONDocument(value)
            } catch {
                throw Problem(error, in: "Line \(number)", pointer: "/\(values.count)")
            }
            values.append(value)
        }
        return values
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let start = line.drop(while: isBlank)
        let length = start.reversed().drop(while: isBlank).count
        return Array(start.prefix(length))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
