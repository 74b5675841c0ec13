import Clarion

/// An error that a person can act on, told in one line.
protocol HasOneLineReason: Error {
    var reason: String { get }
}

extension EventLogError: HasOneLineReason {
    var reason: String { message }
}

extension ServerError: HasOneLineReason {
    var reason: String { description }
}
