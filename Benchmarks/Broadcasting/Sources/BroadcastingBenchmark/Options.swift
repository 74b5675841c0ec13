/// What the command line says.
struct Options {
    static let usage = """
        usage: run [--quick] [--json PATH] [--enforce] [ROW...]
               run --repeat DESIGN [--observers N] [--seconds S]     (for perf and callgrind)
        rows:  \(Row.allCases.map(\.rawValue).joined(separator: " "))
        """

    enum Row: String, CaseIterable {
        case notify, allocations, deliveries, registration, churn, contention
    }

    var isQuick = false
    /// Whether a missed goal is an error.
    var isEnforcing = false
    var json: String?
    var rows: [Row] = []
    var repeated: String?
    var observers = 1_000
    var seconds = 5.0

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        func value<Value: LosslessStringConvertible>(of option: String) throws(UsageError) -> Value {
            guard let value = arguments.next().flatMap(Value.init) else { throw UsageError(argument: option) }
            return value
        }
        while let argument = arguments.next() {
            switch argument {
            case "--quick": isQuick = true
            case "--enforce": isEnforcing = true
            case "--json": json = try value(of: argument)
            case "--repeat": repeated = try value(of: argument)
            case "--observers": observers = try value(of: argument)
            case "--seconds": seconds = try value(of: argument)
            default:
                guard let row = Row(rawValue: argument) else { throw UsageError(argument: argument) }
                rows.append(row)
            }
        }
        if rows.isEmpty { rows = Row.allCases }
    }

    struct UsageError: Error {
        let argument: String
    }
}
