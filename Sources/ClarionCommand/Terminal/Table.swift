import ClarionClient
import JSON

/// Rows for people: aligned under their names on a terminal; elsewhere without names, and with tabs between the cells.
struct Table {
    private let names: [String]
    private var rows: [[String]] = []

    init(_ names: String...) {
        self.names = names
    }

    mutating func add(_ cells: String...) {
        rows.append(cells.map(TerminalText.escaped))
    }

    /// Adds the members of these names.
    mutating func add(_ names: [String], of document: JSONValue) {
        rows.append(names.map { TerminalText.escaped(document.cell($0)) })
    }

    func print() throws {
        guard Output.isTerminal else {
            for row in rows { try Output.line(row.joined(separator: "\t")) }
            return
        }
        let widths = names.indices.map { column in ([names] + rows).map { $0[column].count }.max() ?? 0 }
        func aligned(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return padded.joined(separator: "  ").trimmingBlanks
        }
        try Output.line(Style.bold(aligned(names)))
        for row in rows { try Output.line(aligned(row)) }
    }
}

extension String {
    /// Without blanks at the end.
    fileprivate var trimmingBlanks: String {
        String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
    }
}

extension JSONValue {
    /// A member as a cell: empty if there is none.
    func cell(_ name: String) -> String {
        guard let member = self[name] else { return "" }
        switch member {
        case .null: return ""
        case .string(let text): return text
        case .array(let elements): return elements.compactMap(\.text).joined(separator: " ")
        default: return String(decoding: member.bytes, as: UTF8.self)
        }
    }
}

extension Output {
    static func json(_ value: JSONValue) throws {
        try write(json: value.bytes + [UInt8(ascii: "\n")])
    }

    /// A whole list, as the last page of one.
    static func json(_ name: String, _ list: Listing) throws {
        var members: [String: JSONValue] = [name: .array(list.elements), "next": .null]
        if !list.unreachable.isEmpty { members["unreachable"] = .array(list.unreachable.map(JSONValue.string)) }
        try json(.object(members))
    }
}

/// A document for people, a line for each member that has a value.
enum Document {
    static func print(_ value: JSONValue, _ names: [String]) throws {
        for name in names {
            let cell = value.cell(name)
            guard !cell.isEmpty else { continue }
            let label = name + String(repeating: " ", count: max(0, 18 - name.count))
            try Output.line("\(Style.dim(label)) \(TerminalText.escaped(cell))")
        }
    }
}
