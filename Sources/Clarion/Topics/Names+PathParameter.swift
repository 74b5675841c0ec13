public import EventLog
public import MicroHTTP

extension Topic: PathParameter {
    /// - Throws: `topic-invalid`.
    public init(pathSegment: String) throws(Problem) {
        do {
            try self.init(pathSegment)
        } catch {
            throw Problem(.badRequest, code: error.code, detail: error.message, parameter: "topic")
        }
    }
}

extension TopicPattern: PathParameter {
    /// - Throws: `topic-invalid` or `pattern-invalid`.
    public init(pathSegment: String) throws(Problem) {
        do {
            try self.init(pathSegment)
        } catch {
            throw Problem(.badRequest, code: error.code, detail: error.message, parameter: "topic")
        }
    }
}

extension Topic {
    /// The topic as one path segment (RFC 3986 section 3.3): only unreserved characters stand as they are.
    var pathSegment: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
