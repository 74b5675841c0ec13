/// Log lines for people, on standard error.
struct TextLog: TextOutputStream {
    /// - Parameter line: with the line break at its end. Those within it, and what would command a terminal, are escaped:
    ///   what strangers name cannot pass for a line of its own.
    func write(_ line: String) {
        LogOutput.standardError.write(Self.escaped(line)) { Self.escaped("clarion: \(LogOutput.gap($0))\n") }
    }

    static func escaped(_ line: String) -> [UInt8] {
        Array((TerminalText.escaped(String(line.dropLast())) + "\n").utf8)
    }
}
