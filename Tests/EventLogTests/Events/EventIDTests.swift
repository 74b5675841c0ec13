import Testing

@testable import EventLog

@Suite struct EventIDTests {
    @Test func `reads back every id it writes`() throws {
        for position in [0, 1, 9, 10, 1_234_567_890, Int64.max] {
            let id = EventID(epoch: .random(), position: Position(position))
            let text = id.description
            #expect(EventID(text) == id)
            #expect(EventID(text[...]) == id)
            #expect(text.utf8.count <= 64)
            #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") })
            var bytes: [UInt8] = []
            id.write(to: &bytes)
            #expect(bytes == Array(text.utf8))
        }
    }

    @Test func `reads no other text`() {
        let epoch = LogEpoch(bits: 12_345)
        #expect(EventID("\(epoch)-1") != nil)
        for text in [
            "", "-", "\(epoch)", "\(epoch)-", "\(epoch)-01", "\(epoch)-+1", "\(epoch)--1", "\(epoch)-1 ", " \(epoch)-1",
            "\(epoch)-1a", "\(epoch)-9223372036854775808", "\(epoch)-99999999999999999999999", "0-1", "1",
            epoch.description.uppercased().replacing("0", with: "O") + "-1", "\(epoch)0-1", "\(epoch)-١", "x\u{301}-1",
        ] {
            #expect(EventID(text) == nil, "\(text)")
        }
    }

    @Test func `an epoch is twelve characters, and hardly ever the same`() {
        let epochs = (0..<1_000).map { _ in LogEpoch.random() }
        #expect(Set(epochs).count == 1_000)
        #expect(epochs.allSatisfy { $0.description.utf8.count == 12 && LogEpoch($0.description) == $0 })
        #expect(LogEpoch(bits: .max).description == "zzzzzzzzzzzz")
    }
}
