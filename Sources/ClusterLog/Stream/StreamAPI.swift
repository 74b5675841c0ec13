import EventLog
import Foundation

/// The stream that holds a log, as the servers' interface shows it.
struct StreamAPI: Sendable {
    let connection: NATSConnection
    let subjects: Subjects

    /// What a stream is.
    struct Stream {
        let epoch: LogEpoch
        /// The newest message.
        let last: UInt64
        let bytes: UInt64
        let config: StreamAnswer.Config

        /// What has the servers remove messages by themselves, in words; nil if nothing does.
        var lossySettings: String? { config.lossySettings }
    }

    /// The stream, which is made if there is none: only then, since whoever may use it need not be allowed to make one.
    func open(replicas: Int) throws -> Stream {
        if try find(atMost: 2_000) == nil { try make(replicas: replicas) }
        return try settled()
    }

    /// The stream as it stays. Of several that were asked for at the same moment, each with an epoch of its own, one is left, which
    /// need not be the first that is shown (nats-server 2.9.10, several servers): while nothing is in it, it is looked at again.
    private func settled() throws -> Stream {
        var (found, turns) = (try info(atMost: 2_000), 0)
        while found.answer.cluster != nil, found.stream.last == 0, turns < Self.settlingTurns {
            Thread.sleep(forTimeInterval: 0.25)
            let next = try info(atMost: 2_000)
            turns = next.stream.epoch == found.stream.epoch ? turns + 1 : 0
            found = next
        }
        return found.stream
    }

    /// How often in a row it must be the same, a quarter of a second apart.
    private static let settlingTurns = 4

    private func make(replicas: Int) throws {
        let config = StreamConfig(
            name: subjects.stream,
            description: Self.mark + LogEpoch.random().description,
            subjects: [subjects.all],
            numReplicas: replicas
        )
        let answer = try ask("STREAM.CREATE", config)
        // Another node may have made it meanwhile.
        if let fault = answer.error, fault.errCode != Self.nameInUse {
            throw EventLogError(
                code: .unavailable,
                message: "The stream of the log cannot be made: \(fault.description ?? "the server does not say why")."
            )
        }
    }

    /// The stream as it is.
    /// - Parameter milliseconds: for how long the answer is waited for.
    func read(atMost milliseconds: Int64 = 2_000) throws -> Stream { try info(atMost: milliseconds).stream }

    /// The stream as people are told of it.
    func standing() throws -> ClusterVisit.Stream {
        let (_, state, answer) = try info(atMost: 2_000)
        return ClusterVisit.Stream(
            messages: state.messages,
            bytes: state.bytes,
            last: state.lastSeq,
            leader: answer.cluster?.leader,
            followers: (answer.cluster?.replicas ?? []).map { server in
                ClusterVisit.Follower(name: server.name, isCurrent: server.current && server.offline != true)
            },
            replicas: answer.config?.numReplicas ?? 1
        )
    }

    private typealias Info = (stream: Stream, state: StreamAnswer.State, answer: StreamAnswer)

    private func info(atMost milliseconds: Int64) throws -> Info {
        guard let found = try find(atMost: milliseconds) else {
            throw EventLogError(code: .unavailable, message: "There is no log of this name on these servers.")
        }
        return found
    }

    /// The stream; nil if there is none.
    private func find(atMost milliseconds: Int64) throws -> Info? {
        let answer = try ask("STREAM.INFO", InfoRequest(deletedDetails: false), atMost: milliseconds)
        if answer.error?.errCode == Self.noStream { return nil }
        guard answer.error == nil, let state = answer.state, let config = answer.config else {
            throw EventLogError(
                code: .unavailable,
                message: "The stream of the log cannot be read: \(answer.error?.description ?? "no answer")."
            )
        }
        let text = config.description ?? ""
        guard text.hasPrefix(Self.mark), let epoch = LogEpoch(text.dropFirst(Self.mark.count)) else {
            throw EventLogError(code: .foreign, message: "The stream \(subjects.stream) is no log of this program.")
        }
        guard state.lastSeq <= Delivered.mostSequence else {
            let message = "The stream \(subjects.stream) has more messages than there can be."
            throw EventLogError(code: .foreign, message: message)
        }
        let stream = Stream(epoch: epoch, last: state.lastSeq, bytes: state.bytes, config: config)
        return (stream, state, answer)
    }

    /// How many bytes the stream may have at most, by its own bound or the account's, which counts each replica; nil if there is
    /// none. What a server bounds for all (`max_file_store`) it does not tell.
    func byteLimit() throws -> (bytes: Int64?, isReplicated: Bool) {
        let config = try read().config
        let replicas = Self.replicas(of: config)
        let account = try Self.answer(try connection.request([], to: "$JS.API.INFO").data).limits?.maxStorage
        let bounds = [config.maxBytes, account.map { $0 / Int64(replicas) }].compactMap(\.self).filter { $0 > 0 }
        return (bounds.min(), replicas > 1)
    }

    /// How many bytes the stream may have by the bound of the account, where several servers keep it; nil if there is none.
    func accountLimit(of stream: Stream) throws -> Int64? {
        let replicas = Int64(Self.replicas(of: stream.config))
        guard replicas > 1 else { return nil }
        let account = try Self.answer(try connection.request([], to: "$JS.API.INFO").data)
        guard let most = account.limits?.maxStorage, most > 0 else { return nil }
        // What other streams have.
        let others = max(max(account.storage ?? 0, 0) - Int64(clamping: min(stream.bytes, 1 << 50)) * replicas, 0)
        return max(most - others, 0) / replicas
    }

    /// On how many servers it is: on five at most, and whatever they answer on not so many more.
    private static func replicas(of config: StreamAnswer.Config) -> Int { min(max(config.numReplicas ?? 1, 1), 1_000) }

    /// Which messages were removed, if they are not too many for one answer.
    func removed() throws -> Set<UInt64> {
        guard let count = try info(atMost: 2_000).state.numDeleted, count <= Self.mostRemoved else { return [] }
        let answer = try ask("STREAM.INFO", InfoRequest(deletedDetails: true))
        return Set(answer.state?.deleted ?? [])
    }

    /// A number has up to twenty digits, and answers have up to a mebibyte unless the servers are told otherwise.
    private static let mostRemoved = 40_000

    /// Has the stream sent to a subject, from a message on.
    /// - Returns: when the servers began, by their clock.
    @discardableResult
    func consume(from sequence: UInt64, to subject: String, heartbeat milliseconds: Int64) throws -> Timestamp {
        let request = ConsumerRequest(
            streamName: subjects.stream,
            config: .init(
                deliverSubject: subject,
                optStartSeq: max(sequence, 1),
                idleHeartbeat: milliseconds * 1_000_000
            )
        )
        let answer = try ask("CONSUMER.CREATE", request)
        guard answer.error == nil, let time = answer.created.flatMap(Timestamp.init(rfc3339:)) else {
            throw NATSError("CONSUMER.CREATE: \(answer.error?.description ?? "no time")")
        }
        return time
    }

    /// The first message from a place on; nil if there is none.
    func message(from sequence: UInt64) throws -> (data: [UInt8], subject: String, place: Delivered)? {
        try message(MessageRequest(seq: sequence))
    }

    /// The newest message of a subject; nil if there is none.
    func newest(of subject: String) throws -> (data: [UInt8], subject: String, place: Delivered)? {
        try message(NewestRequest(lastBySubj: subject))
    }

    private func message(_ request: some Encodable) throws -> (data: [UInt8], subject: String, place: Delivered)? {
        let answer = try ask("STREAM.MSG.GET", request)
        if answer.error?.errCode == Self.noMessage { return nil }
        guard let message = answer.message, let time = Timestamp(rfc3339: message.time),
            message.seq <= Delivered.mostSequence
        else {
            throw NATSError("STREAM.MSG.GET: \(answer.error?.description ?? "no message")")
        }
        let place = Delivered(sequence: message.seq, number: 0, time: time)
        return (message.data.map { Array($0) } ?? [], message.subject, place)
    }

    /// Removes messages; those that are not there any more are passed over.
    ///
    /// One by one, as `STREAM.PURGE` is not safe: nats-server 2.9.10 that is killed carries out a purge once more when it starts,
    /// and then removes all that comes before, of all subjects.
    /// - Parameter inbox: what nobody else listens to. Each time it is answered to another subject under it: what a server answers
    ///   too late to one is not counted for the next.
    func remove(_ sequences: [UInt64], answeringTo inbox: String) throws {
        if sequences.isEmpty { return }
        let inbox = "\(inbox).\(UInt64.random(in: 0 ... .max))"
        let answers = try connection.subscribe(to: inbox)
        var waiting = 0
        for sequence in sequences {
            let request = try Self.bytes(of: RemovalRequest(seq: sequence))
            try connection.publish(request, to: "$JS.API.STREAM.MSG.DELETE.\(subjects.stream)", reply: inbox)
            waiting += 1
            if waiting == Self.removalsAtOnce { waiting -= try Self.take(answers) }
        }
        while waiting > 0 { waiting -= try Self.take(answers) }
    }

    /// How many are asked for before one is answered.
    private static let removalsAtOnce = 128

    private static func take(_ answers: NATSSubscription) throws -> Int {
        guard let message = try answers.next(atMost: 5_000) else { throw NATSError("STREAM.MSG.DELETE: no answer") }
        guard message.status == nil else { throw NATSError("STREAM.MSG.DELETE: \(message.status ?? "")") }
        // As a rule nothing went wrong, and it is not read any further.
        if message.data.saysError, let fault = try answer(message.data).error, !fault.isNoSuchMessage {
            throw NATSError("STREAM.MSG.DELETE: \(fault.description ?? "")")
        }
        return 1
    }

    /// Reads the answer to what was asked or published.
    static func answer(_ bytes: [UInt8]) throws -> StreamAnswer {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(StreamAnswer.self, from: Data(bytes))
    }

    private func ask(_ verb: String, _ body: some Encodable, atMost milliseconds: Int64 = 2_000) throws -> StreamAnswer
    {
        let message = try connection.request(
            try Self.bytes(of: body),
            to: "$JS.API.\(verb).\(subjects.stream)",
            atMost: milliseconds
        )
        guard message.status == nil else { throw NATSError("\(verb): \(message.status ?? "")") }
        return try Self.answer(message.data)
    }

    private static func bytes(of document: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return Array(try encoder.encode(document))
    }

    /// Before the epoch in the stream's description: servers before 2.10 keep nothing else with a stream.
    private static let mark = "clarion log "

    private static let noMessage = 10_037

    private static let noStream = 10_059

    /// A stream of the name is there, made otherwise: with another epoch, that is.
    private static let nameInUse = 10_058
}
