/// Takes a chunked body apart, wherever its bytes were cut (RFC 9112 section 7.1), and strictly: what is no chunk traps.
struct ChunkDecoder {
    private enum State {
        case size, data(Int), lineBreak, lastLineBreak, over
    }

    private var state = State.size
    private var pending: [UInt8] = []

    /// Whether the last chunk was read.
    var isOver: Bool {
        if case .over = state { true } else { false }
    }

    /// What came after the last chunk.
    var rest: [UInt8] { isOver ? pending : [] }

    /// Returns the data that is complete.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        var data: [UInt8] = []
        while true {
            switch state {
            case .size:
                guard let end = pending.firstIndex(of: 10) else { return data }
                precondition(pending[end - 1] == 13)
                guard let size = Int(String(decoding: pending[..<(end - 1)], as: UTF8.self), radix: 16) else {
                    preconditionFailure("no chunk size: \(pending[..<end])")
                }
                pending.removeFirst(end + 1)
                state = size == 0 ? .lastLineBreak : .data(size)
            case .data(let size):
                guard !pending.isEmpty else { return data }
                let part = pending.prefix(size)
                data += part
                pending.removeFirst(part.count)
                state = part.count == size ? .lineBreak : .data(size - part.count)
            case .lineBreak, .lastLineBreak:
                guard pending.count >= 2 else { return data }
                precondition(pending.starts(with: [13, 10]))
                pending.removeFirst(2)
                if case .lineBreak = state { state = .size } else { state = .over }
            case .over: return data
            }
        }
    }
}
