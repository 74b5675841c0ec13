import FoundationEssentials
import JSON
import Randomness
import Testing

@Suite struct JSONDecoderValuesTests {
    private func read(_ text: String) throws -> Date {
        try JSONDecoder.ofValues.decode(Date.self, from: Data("\"\(text)\"".utf8))
    }

    @Test(arguments: [
        ("2025-11-20T23:19:00Z", 1_763_680_740), ("2025-11-20T23:19:00.5Z", 1_763_680_740.5),
        ("2025-11-21T00:49:00.123999+01:30", 1_763_680_740.123), ("0000-01-01T00:00:00.000Z", -62_167_219_200),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799.999),
    ])
    func `dates are read with fractions and without, at any offset`(text: String, seconds: Double) throws {
        #expect(try read(text).timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["\"today\"", "\"2025-11-20\"", "785373540", "null", "{}"])
    func `nothing else is a date`(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder.ofValues.decode(Date.self, from: Data(text.utf8)) }
    }

    @Test func `what is written is read, to the millisecond`() {
        let fault = firstFault(cases: 1_000) { random in
            let milliseconds = random.number(-62_167_219_200_000...253_402_300_799_999)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let read = (try? JSONEncoder.ofValues.encode(date)).flatMap {
                try? JSONDecoder.ofValues.decode(Date.self, from: $0)
            }
            return read == date ? nil : "\(milliseconds)"
        }
        #expect(fault == nil)
    }
}
