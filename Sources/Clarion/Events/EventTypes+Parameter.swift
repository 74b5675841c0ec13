import EventLog
import MicroHTTP

extension EventTypes {
    /// As many as a webhook may name: each event is compared with them, while others wait for their commit.
    static let most = WebhookSpecification.maximumTypes

    /// What `?type=a,b` asks for.
    ///
    /// - Throws: `parameter-invalid` if it names too many.
    init(_ parameter: String?) throws(Problem) {
        let names = parameter?.utf8.split(separator: UInt8(ascii: ",")) ?? []
        guard names.count <= Self.most else {
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "type= names \(names.count) types; at most \(Self.most) are taken.",
                parameter: "type"
            )
        }
        self.init(names.map { String(Substring($0)) })
    }

    func contain(_ event: Event) -> Bool { contain(event.type) }
}
