import MicroHTTP
import Notation
import Webhooks

/// `Clarion-Hop`: how many deliveries of hubs a request has gone through. A hub sends it with each delivery; an event that a
/// delivery posts keeps it, and is delivered with one more. So a webhook that leads back to the hub it is registered at,
/// directly or by way of others, comes to an end.
enum HopCount {
    static let field: StaticString = "Clarion-Hop"

    /// How many the request has gone through that a route of the program's own answers in this task: what is posted there keeps
    /// it. Of 0 nothing is kept.
    @TaskLocal static var ofTask = 0

    /// - Returns: 0 for a request that no hub has sent.
    /// - Throws: 508 `loop-detected` if there were more than ``Webhooks/DueDelivery/mostHops``; 400 `parameter-invalid` for
    ///   what is no number, or several.
    static func of(_ request: Request) throws(Problem) -> Int {
        guard request.headers.contains(field) else { return 0 }
        let values = request.headers.values(of: field)
        guard values.count == 1, let text = values.first, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else {
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "\"\(field)\" is one number: how many deliveries of hubs there were before this request.",
                parameter: "\(field)"
            )
        }
        // One that is too large for a number is too large.
        guard let count = Int(text), count <= DueDelivery.mostHops else {
            throw loop(
                "The event has gone through more than \(DueDelivery.mostHops) deliveries of hubs: in a circle, most likely."
            )
        }
        return count
    }

    /// A delivery posts events, or is for a route of the program's own, and does nothing else: what it did otherwise, such as
    /// delivering again, would not carry the number on.
    ///
    /// - Throws: 508 `loop-detected`.
    static func requireNone(_ request: Request) throws(Problem) {
        guard request.headers.contains(field) else { return }
        throw loop("A hub's delivery may post events, and change nothing else.")
    }

    private static func loop(_ detail: String) -> Problem {
        Problem(.loopDetected, code: "loop-detected", detail: detail, parameter: "\(field)")
    }
}
