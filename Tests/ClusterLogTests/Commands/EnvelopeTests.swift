import EventLog
import Testing

@testable import ClusterLog

/// What one node writes, every node reads the same.
@Suite struct EnvelopeTests {
    private static func commands() throws -> [Command] {
        let epoch = try #require(LogEpoch("0123456789ab"))
        let ids = [EventID(epoch: epoch, position: Position(1)), EventID(epoch: epoch, position: Position(.max))]
        let topic = try Topic("a.é")
        let draft = EventDraft(
            topic: topic,
            type: "t",
            contentType: "",
            data: [0, 255],
            attributes: [],
            idempotencyKey: IdempotencyKey("k", fingerprint: [1])
        )
        let record = ObserverRecord(
            id: ObserverID(rawValue: "w"),
            topics: [try TopicPattern("a.**")],
            types: ["x", ""],
            receives: false,
            document: [123],
            createdAt: Timestamp(milliseconds: -1)
        )
        let attempt = DeliveryAttempt(
            number: 3,
            at: Timestamp(milliseconds: 5),
            duration: 6,
            connected: 7,
            secured: nil,
            answered: 8,
            status: 500,
            failure: "status",
            message: nil,
            response: [9]
        )
        let outcomes = [DeliveryOutcome.State.delivered, .pending(notBefore: Timestamp(milliseconds: 4)), .dead].map {
            DeliveryOutcome(
                observer: record.id,
                event: Position(2),
                renewals: 1,
                state: $0,
                attempt: attempt,
                failing: 10
            )
        }
        let leases = Leases([
            Leases.Share(node: NodeID(bits: .max), renewals: 7, parts: .first),
            Leases.Share(node: NodeID(bits: 1), parts: Parts.all.subtracting(.first)),
        ])
        return [
            .append([], if: nil, beside: [UsedKey("k", of: topic, for: Position(7))]),
            .append(
                [draft, EventDraft(topic: topic, data: [])],
                if: .all([.newestIsOne(of: ids), .newestIsNone(of: [])]),
                beside: []
            ),
            .append([draft], if: .hasEvent, beside: []), .append([draft], if: .hasNone, beside: []),
            .saveObserver(record, expecting: 1, resettingFailures: true),
            .saveObserver(record, expecting: nil, resettingFailures: false),
            .saveObserver(record, expecting: 0, resettingFailures: false),
            .deleteObserver(record.id, expecting: .max), .deleteObservers(of: record.topics[0], through: .max),
            .setRetention(Retention(events: 1, age: nil, bytes: 3), of: topic, expectingBounds: nil),
            .setRetention(nil, of: topic, expectingBounds: true), .setRetention(nil, of: topic, expectingBounds: false),
            .deleteTopic(topic, through: Position(9)), .recordOutcomes(outcomes, term: 2),
            .abandonDeliveries(of: record.id, failure: "gone", at: .latest),
            .redeliver([Position(1), Position(2)], to: record.id, createdAt: .latest, at: .earliest),
            .redeliver([], to: record.id, createdAt: nil, at: .latest),
            .lease(Leases(), after: 0), .lease(leases, after: .max), .takeUp([.first], by: .max), .probe,
            .settle(through: .max, partly: [3: [0, 2]], unnoted: Position(7)),
            .settle(through: 0, partly: [:], unnoted: .start),
            .noteRemoval(of: topic, through: Position(9)),
        ]
    }

    @Test func `every command is read as it was written`() throws {
        for (number, command) in try Self.commands().enumerated() {
            let envelope = Envelope(node: NodeID(bits: 7), number: UInt64(number), command: command)
            let read = try Envelope(envelope.bytes)
            #expect(read.node == envelope.node && read.number == envelope.number)
            #expect("\(read.command)" == "\(command)")
            #expect(read.bytes == envelope.bytes)
        }
    }

    @Test func `whatever is missing, added or changed is refused or read, and never more`() throws {
        var generator = SystemRandomNumberGenerator()
        for command in try Self.commands() {
            let bytes = Envelope(node: NodeID(bits: 7), number: 1, command: command).bytes
            for count in bytes.indices {
                #expect(throws: Envelope.Refusal.meaningless) { try Envelope(Array(bytes.prefix(count))) }
            }
            #expect(throws: Envelope.Refusal.meaningless) { try Envelope(bytes + [0]) }
            for place in bytes.indices {
                var changed = bytes
                changed[place] = .random(in: 0...255, using: &generator)
                _ = try? Envelope(changed)
            }
        }
    }

    @Test func `what the first version wrote is read, which knew no observers of one id`() throws {
        let id = ObserverID(rawValue: "w")
        let command = Command.redeliver([Position(3)], to: id, createdAt: nil, at: Timestamp(milliseconds: 5))
        var bytes = Envelope(node: NodeID(bits: 7), number: 1, command: command).bytes
        let absence = try #require(bytes.lastIndex(of: 0))
        bytes.remove(at: absence)
        bytes[2] = 1
        #expect("\(try Envelope(bytes).command)" == "\(command)")
    }

    @Test func `what the second version wrote is read, which set bounds whatever there was`() throws {
        let command = try Command.setRetention(Retention(events: 1), of: Topic("a"), expectingBounds: nil)
        var bytes = Envelope(node: NodeID(bits: 7), number: 1, command: command).bytes
        #expect(bytes.removeLast() == 0)
        #expect(throws: Envelope.Refusal.meaningless) { try Envelope(bytes) }
        bytes[2] = 2
        #expect("\(try Envelope(bytes).command)" == "\(command)")
    }

    @Test func `what the third version wrote is read, which could be written in part`() throws {
        let topic = try Topic("a")
        let pattern = try TopicPattern("a.*")
        for command in [Command.deleteTopic(topic, through: nil), .deleteObservers(of: pattern, through: nil)] {
            var bytes = Envelope(node: NodeID(bits: 7), number: 1, command: command).bytes
            #expect(bytes.removeLast() == 0)
            bytes[2] = 3
            #expect("\(try Envelope(bytes).command)" == "\(command)")
        }
        let append = Command.append([EventDraft(topic: topic, data: [1])], if: nil, beside: [])
        var bytes = Envelope(node: NodeID(bits: 7), number: 1, command: append).bytes
        bytes.removeLast(8)
        bytes[2] = 3
        guard case .append(_, if: nil, beside: nil) = try Envelope(bytes).command else {
            Issue.record("it is to be written in part")
            return
        }
    }

    @Test func `a later version is told apart from what no version has written`() throws {
        var bytes = Envelope(node: NodeID(bits: 7), number: 1, command: .probe).bytes
        #expect(bytes.prefix(3) == [0xC1, 0xA7, 4], "so it begins for ever")
        bytes[2] = 5
        #expect(throws: Envelope.Refusal.later(5)) { try Envelope(bytes) }
        #expect(throws: Envelope.Refusal.later(9)) { try Envelope([0xC1, 0xA7, 9]) }
        bytes[2] = 0
        let texts = ["", "hello", "\u{1}\u{2}", "{\"node\": 1}"].map { Array($0.utf8) }
        for other in texts + [bytes, [0xC1], [0xC1, 0xA7], [1, 0, 0]] {
            #expect(throws: Envelope.Refusal.meaningless) { try Envelope(other) }
        }
    }
}
