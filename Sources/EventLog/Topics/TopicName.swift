/// The rules that the names of topics and the texts of patterns share (`docs/http-api.md`, "Names").
enum TopicName {
    /// The most UTF-8 bytes a name may have.
    static let byteLimit = 255

    static let dot = UInt8(ascii: ".")
    static let star = UInt8(ascii: "*")

    /// What is wrong with a text, apart from stars; nil if nothing is.
    static func fault(in text: String) -> String? {
        switch text.utf8.count {
        case 0: return "it is empty"
        case 1...byteLimit: break
        default: return "it is longer than \(byteLimit) bytes"
        }
        if text == "." || text == ".." { return "`.` and `..` are not names" }
        return text.unicodeScalars.allSatisfy(isAllowed) ? nil : "it has a control character or white space"
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        // ASCII needs no table: everything up to the space is a control character or white space, and so is DEL.
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
        let properties = scalar.properties
        return properties.generalCategory != .control && !properties.isWhitespace
    }
}
