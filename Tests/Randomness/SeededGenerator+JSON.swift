extension SeededGenerator {
    package mutating func text(of alphabet: [Character], upTo length: Int) -> String {
        String((0..<Int.random(in: 0...length, using: &self)).map { _ in alphabet.randomElement(using: &self)! })
    }

    /// Any JSON, as it may be written by someone who cares little for its looks.
    package mutating func json(depth: Int = 3) -> String {
        let space = { (random: inout SeededGenerator) in random.text(of: [" ", "\t", "\n", "\r"], upTo: 1) }
        let value =
            switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &self) {
            case 0: "null"
            case 1: Bool.random(using: &self) ? "true" : "false"
            case 2: ["0", "-1", "12345678901234567890123", "1.50", "1E+2"].randomElement(using: &self)!
            case 3, 4: jsonString()
            case 5:
                "["
                    + (0..<Int.random(in: 0...3, using: &self)).map { _ in json(depth: depth - 1) }
                    .joined(separator: ",") + "]"
            default:
                "{"
                    + (0..<Int.random(in: 0...3, using: &self)).map { index in
                        "\(space(&self))\"\(index)\\\"\"\(space(&self)):" + json(depth: depth - 1)
                    }.joined(separator: ",") + "}"
            }
        return space(&self) + value + space(&self)
    }

    package mutating func jsonString() -> String {
        let parts = ["a", " ", ",", "{", "]", ":", "\\\"", "\\\\", "\\n", "\\u00e9", "\\ud83d\\ude00", "é", "😀", "/"]
        return "\"" + (0..<Int.random(in: 0...6, using: &self)).map { _ in parts.randomElement(using: &self)! }.joined()
            + "\""
    }
}
