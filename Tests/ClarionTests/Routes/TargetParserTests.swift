import Notation
import Webhooks
import EventLog
import Randomness
import Testing

@testable import Clarion
@testable import MicroHTTP

/// Request targets and what is percent-encoded.
@Suite struct TargetParserTests {
    @Test func whatWasEncodedComesBack() {
        search { random in
            let segments = (0..<random.number(1...3)).map { _ in random.oddText(upTo: 4) }
            let pairs = (0..<random.number(0...3)).map { _ in ("x" + random.oddText(upTo: 3), random.oddText(upTo: 4)) }
            let query = pairs.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }.joined(
                separator: "&"
            )
            let path = segments.map { "/" + PercentEncoding.encode($0) }.joined() + "/"
            guard let target = try? Target("\(path)?\(query)") else { return "\(path)?\(query) is refused" }
            guard target.segments.map({ Array($0.utf8) }) == segments.map({ Array($0.utf8) }) else {
                return "\(path) is \(target.segments)"
            }
            for (name, value) in pairs {
                let first = pairs.first { $0.0.utf8.elementsEqual(name.utf8) }?.1 ?? value
                guard target.query[name].map({ $0.utf8.elementsEqual(first.utf8) }) == true else {
                    return "\(query): \(name)"
                }
            }
            return nil
        }
    }

    @Test func mutilatedTargetsAreTakenOrRefused() {
        search { random in
            let bytes = random.mutated("/topics/a%2Fb%C3%A9/events?topic=a+b&type=%41,b&limit=1")
            var target: Target?
            let refusal = code { target = try Target(bytes: bytes) }
            guard refusal == nil || refusal == "target-invalid" else { return "\(bytes): \(refusal ?? "")" }
            guard let target else { return nil }
            let path = target.segments.map { "/" + PercentEncoding.encode($0) }.joined()
            let query = target.query.parameters.map {
                PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value)
            }
            let again = try? Target("\(path)/?\(query.joined(separator: "&"))")
            let isSame =
                again?.segments == target.segments && again?.query == target.query && target.authority == nil
            return isSame || target.segments.last == ""
                ? nil : "\(String(decoding: bytes, as: UTF8.self)) again"
        }
    }

    @Test func valuesOfCloudEventHeaders() {
        search { random in
            let text = random.oddText(upTo: 6)
            let encoded = CloudEventHeaderValue.encode(text)
            guard encoded.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return "\(encoded) is no header value"
            }
            guard let decoded = CloudEventHeaderValue.decode(Array(encoded.utf8)[...]),
                decoded.utf8.elementsEqual(text.utf8)
            else { return "\(text.debugDescription) does not come back" }
            _ = CloudEventHeaderValue.decode(random.mutated(random.chance(2) ? "\"\(encoded)\"" : encoded)[...])
            return nil
        }
    }
}
