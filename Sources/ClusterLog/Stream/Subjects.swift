import EventLog
import Notation

/// The subjects of a log's stream.
struct Subjects: Sendable {
    /// The name of the stream.
    let stream: String
    private let prefix: String
    private let nodesPrefix: String

    init(of name: String) {
        stream = "CLARION_\(name)"
        prefix = "clarion.\(name)"
        nodesPrefix = "clarion-nodes.\(name)"
    }

    /// Everything of the log.
    var all: String { "\(prefix).>" }

    /// What nodes say to each other beside the stream, whose own subjects these are not.
    var nodes: String { "\(nodesPrefix).*" }

    /// What a node says of itself.
    var presence: String { "\(nodesPrefix).presence" }

    /// What a node asks all others, and tells them.
    var question: String { "\(nodesPrefix).question" }

    /// Events of several topics that must be all or none.
    var batch: String { "\(prefix).batch" }

    /// What is done to observers, topics and deliveries.
    var changes: String { "\(prefix).change" }

    /// How attempts went.
    var outcomes: String { "\(prefix).outcome" }

    /// Who delivers.
    var lease: String { "\(prefix).lease" }

    /// Up to where it is settled what is written.
    var settled: String { "\(prefix).settled" }

    /// What is written to see whether it can be.
    var probe: String { "\(prefix).probe" }

    /// What only takes up room.
    var reserve: String { "\(prefix).reserve" }

    /// Events of one topic. Two topics never have the same: each segment is written as a token of its own, in which what is
    /// neither letter, digit, `-` nor `_` stands as `=` and two digits, and an empty one as `=`.
    func events(of topic: Topic) -> String { subject("topic", topic) }

    /// What is gone of a topic.
    func removal(of topic: Topic) -> String { subject("removed", topic) }

    private func subject(_ kind: String, _ topic: Topic) -> String {
        var bytes = Array("\(prefix).\(kind).".utf8)
        var isSegmentEmpty = true
        for byte in topic.name.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                if isSegmentEmpty { bytes.append(UInt8(ascii: "=")) }
                bytes.append(byte)
                isSegmentEmpty = true
                continue
            case _ where byte.isLetter || byte.isDigit || "-_".utf8.contains(byte): bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "="))
                bytes.append(UInt8(upperHexDigitOf: byte >> 4))
                bytes.append(UInt8(upperHexDigitOf: byte & 15))
            }
            isSegmentEmpty = false
        }
        if isSegmentEmpty { bytes.append(UInt8(ascii: "=")) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
