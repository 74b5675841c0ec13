import EventLog
import MicroHTTP
import Webhooks
import Randomness
import Testing

@testable import Clarion

@Suite struct ByteCountTests {
    @Test(arguments: [
        ("0", 0), ("1", 1), ("1048576", 1_048_576), ("64KiB", 65_536), ("1MiB", 1_048_576), ("2GiB", 2_147_483_648),
        ("1TiB", 1_099_511_627_776), ("0MiB", 0), ("007KiB", 7_168), ("9223372036854775807", .max),
    ])
    func `a number, of bytes or with a unit`(text: String, bytes: Int) {
        #expect(ByteCount(text: text)?.bytes == bytes)
    }

    @Test(arguments: [
        "", "KiB", "1MB", "1M", "1mib", "1 MiB", " 1MiB", "1MiB ", "-1MiB", "+1", "-1", "1.5GiB", "0x10", "1MiB1KiB",
        "1KiBKiB",
        "9223372036854775808", "9007199254740993TiB", "１MiB", "1MiB\0", "1_000", "1,000", "many",
    ])
    func `anything else is none`(text: String) {
        #expect(ByteCount(text: text) == nil)
    }

    @Test func `what is written is read again, in the largest whole unit`() {
        #expect(ByteCount(1_048_576).text == "1MiB")
        #expect(ByteCount(1_048_577).text == "1048577")
        #expect(ByteCount(1536).text == "1536")
        #expect(ByteCount(3 << 40).text == "3TiB")
        #expect(ByteCount(0).text == "0")
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let count = ByteCount(Int.random(in: 0...1 << 20, using: &random) << Int.random(in: 0...40, using: &random))
            #expect(ByteCount(text: count.text) == count)
        }
    }
}
