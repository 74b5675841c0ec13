import JSON
import Testing

@testable import Clarion

@Suite struct ClusterStatusTests {
    private static let answer: [String: JSONValue] = [
        "node": .string("node-1"), "host": .string("h1"), "port": .number(8080), "version": .string("0.1.0"),
        "startedAt": .string("2026-11-23T02:00:00.000Z"), "streams": .number(3),
        "leases": .array((0..<64).map { .string(String($0)) }),
        "taken": .number(41), "connected": .bool(true), "fault": .null, "known": .array([.string("node-2")]),
    ]

    private func node(_ changes: [String: JSONValue] = [:], name: String = "node-1") throws -> NodeStatus {
        try #require(NodeStatus(.object(Self.answer.merging(changes) { _, new in new }), of: name))
    }

    private func status(
        _ nodes: [NodeStatus],
        missing: [String] = [],
        leader: String? = nil,
        late: [String] = [],
        replicas: Int = 1,
        lateNodes: [String] = []
    ) -> ClusterStatus {
        ClusterStatus(
            nodes: nodes,
            missing: missing,
            messages: 1,
            bytes: 1,
            last: 42,
            leader: leader,
            followers: late,
            lateFollowers: late,
            replicas: replicas,
            lateNodes: lateNodes
        )
    }

    @Test func `reads what a node says, and takes nothing else`() throws {
        let read = try node()
        #expect(read.json == .object(Self.answer))
        #expect(read.leases.count == 64 && read.known == ["node-2"] && read.taken == 41)
        for (name, other) in [
            ("port", JSONValue.number(65_536)), ("port", .number(-1)), ("streams", .number(-1)),
            ("taken", .number(0.5)),
            ("leases", .array([.null])), ("connected", .null), ("known", .null), ("startedAt", .string("x")),
            ("host", .null),
            ("taken", .number(1e300)),
        ] {
            let changed = Self.answer.merging([name: other]) { _, new in new }
            #expect(NodeStatus(.object(changed), of: "node-1") == nil, "\(name)")
        }
        #expect(NodeStatus(.null, of: "node-1") == nil)
    }

    @Test func `names everything that is wrong`() throws {
        #expect(status([try node()]).faults == [])
        #expect(status([try node()]).lag(of: try node()) == 1)
        #expect(status([try node()]).lag(of: try node(["taken": .number(50)])) == 0)
        #expect(status([]).faults == ["no node answers"])
        #expect(status([try node()], missing: ["node-2"]).faults == ["node-2 does not answer"])
        #expect(status([try node()], lateNodes: ["node-1"]).faults == ["node-1 does not keep up with the stream"])
        let cutOff = try node(["connected": .bool(false), "fault": .string("disk"), "leases": .array([])])
        #expect(
            status([cutOff]).faults == [
                "node-1 is not connected to the servers", "node-1 is to be started anew: disk",
                "nobody delivers to webhooks of 64 of 64 parts",
            ]
        )
        let shares = try [(0..<32), (31..<63)].map { try node(["leases": .array($0.map { .string(String($0)) })]) }
        #expect(status(shares).faults == ["nobody delivers to webhooks of 1 of 64 parts"])
        #expect(status([try node()], replicas: 3).faults == ["no server leads the stream"])
        #expect(
            status([try node()], leader: "n0", late: ["n1"], replicas: 3).faults
                == ["server n1 does not keep up with the stream"]
        )
    }
}
