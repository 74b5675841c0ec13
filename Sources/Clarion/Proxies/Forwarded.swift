import MicroHTTP
import Notation

/// The field `Forwarded` (RFC 7239): `for=192.0.2.43, for="[2001:db8::17]:4711";host=hub.example;proto=https`.
enum Forwarded {
    /// What each proxy tells, the nearest first; nil for what cannot be read.
    ///
    /// Read from the right, like the chain itself: a quotation mark that a client has left open does not reach what a
    /// proxy has added behind it.
    static func elements(of headers: HeaderFields) -> [ForwardedElement?] {
        headers.values(of: "Forwarded").reversed().flatMap { value in
            splitFromRight(Array(value.utf8)[...]).map(element)
        }
    }

    /// The parts between commas that stand in no quoted string, the last first.
    private static func splitFromRight(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (parts, end, isQuoted): ([ArraySlice<UInt8>], Int, Bool) = ([], bytes.endIndex, false)
        for place in bytes.indices.reversed() {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                let backslashes = bytes[..<place].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
                if !isQuoted || backslashes.isMultiple(of: 2) { isQuoted.toggle() }
            case UInt8(ascii: ",") where !isQuoted:
                parts.append(bytes[(place + 1)..<end])
                end = place
            default: continue
            }
        }
        parts.append(bytes[..<end])
        return parts
    }

    /// One element: `name=value` pairs with semicolons between them, each name once.
    private static func element(_ bytes: ArraySlice<UInt8>) -> ForwardedElement? {
        var element = ForwardedElement()
        var names: Set<String> = []
        var rest = bytes.trimmed
        while !rest.isEmpty {
            guard let (name, value) = pair(&rest), names.insert(name).inserted else { return nil }
            switch name {
            case "for": element.node = ForwardedNode(value[...])
            case "host": element.host = ForwardedElement.host(value[...])
            case "proto": element.scheme = ForwardedElement.scheme(value[...])
            default: continue
            }
        }
        return names.isEmpty ? nil : element
    }

    /// Takes a pair and the semicolon behind it. Values with colons and brackets should be quoted, but often are not.
    private static func pair(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8])? {
        let name = rest.prefix(while: \.isTokenCharacter)
        rest = rest[name.endIndex...]
        guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = value(&rest) else { return nil }
        rest = rest.trimmed
        guard rest.isEmpty || rest.popFirst() == UInt8(ascii: ";") else { return nil }
        rest = rest.trimmed
        return (String(decoding: name.map(\.asciiLowercased), as: UTF8.self), value)
    }

    /// Takes a quoted string (RFC 9110 section 5.6.4), or all up to a semicolon or a blank.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else {
            let value = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
            rest = rest[value.endIndex...]
            return value.isEmpty ? nil : Array(value)
        }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return value
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }
}
