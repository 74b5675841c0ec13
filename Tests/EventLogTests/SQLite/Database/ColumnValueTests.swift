import GRDB
import Testing

@testable import EventLog

@Suite struct ColumnValueTests {
    private func answer<each Value: ColumnValue, Column: ColumnValue>(
        _ sql: String,
        _ values: repeat each Value,
        as type: Column.Type
    ) throws -> Column? {
        try DatabaseQueue().read { db in try db.cached(sql, repeat each values).first { $0[0] as Column } }
    }

    @Test(arguments: [Int64.min, -1, 0, .max]) func `a number is read as it was bound`(number: Int64) throws {
        #expect(try answer("SELECT ?1", number, as: Int64.self) == number)
        #expect(try answer("SELECT typeof(?1)", Int(number), as: String.self) == "integer")
    }

    @Test func `a text is read as it was bound, byte by byte`() throws {
        for text in ["", "a", "é\u{0}\u{1F600}"] {
            #expect(try answer("SELECT ?1", text, as: String.self)?.utf8.elementsEqual(text.utf8) == true)
            #expect(try answer("SELECT typeof(?1)", text, as: String.self) == "text")
            #expect(try answer("SELECT ?1", Array(text.utf8), as: [UInt8].self) == Array(text.utf8))
            #expect(try answer("SELECT typeof(?1)", Array(text.utf8), as: String.self) == "blob")
        }
    }

    @Test func `nil is NULL, and NULL is nil of an optional alone`() throws {
        #expect(try answer("SELECT typeof(?1)", String?.none, as: String.self) == "null")
        #expect(try answer("SELECT ?1", [UInt8]?.none, as: [UInt8]?.self) == .some(nil))
        #expect(try answer("SELECT NULL", as: Int64?.self) == .some(nil))
        #expect(try answer("SELECT NULL", as: Int64.self) == 0)
        #expect(try answer("SELECT 1 WHERE 0", as: Int64?.self) == nil)
    }

    @Test func `parameters are bound from the first on, or from another, and stay bound`() throws {
        try DatabaseQueue().read { db in
            let row = try db.cached("SELECT ?1 || ?2 || ?3").bind("a", 2, true)
            #expect(try row.first { $0[0] as String } == "a21")
            #expect(try row.bind("b", from: 2).first { $0[0] as String } == "ab1")
        }
    }
}
