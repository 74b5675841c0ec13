import EventLog
import MicroHTTP

extension EventTypes {
    /// As many as a webhook may name: each event is compared with them, while others wait for their commit.
    static let most = WebhookSpecification.maximumTypes

    /// What `?type=a,b` asks for.
    ///
    /// - Parameter parameter: nil for all.
    /// - Throws: `parameter-invalid` if it names none, or too many.
    init(_ parameter: String?) throws(Problem) {
        guard let parameter else {
            self.init([])
            return
        }
        let names = parameter.utf8.split(separator: UInt8(ascii: ","))
        guard 1...Self.most ~= names.count else {
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: names.isEmpty
                    ? "type= names no type. Name some, such as type=created,paid, or leave it out to get all."
                    : "type= names \(names.count) types; at most \(Self.most) are taken.",
                parameter: "type"
            )
        }
        self.init(names.map { String(Substring($0)) })
    }

    func contain(_ event: Event) -> Bool { contain(event.type) }
}
