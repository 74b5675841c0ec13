import EventLog
import MicroHTTP

extension Topic {
    /// Whether it is one of the hub's own, on which nobody else posts: else what it tells could be forged.
    var isReserved: Bool { name.utf8.starts(with: "clarion.".utf8) }

    /// - Throws: 403 `topic-reserved`.
    func requireFree() throws(Problem) {
        guard isReserved else { return }
        throw Problem(.forbidden, code: HubError.topicReserved, detail: Self.reservedDetail, parameter: "topic")
    }

    /// What a program or a client is told of it.
    static let reservedDetail =
        "Topics that begin with \"clarion.\" are the hub's own: nobody else posts on them or deletes them."
}
