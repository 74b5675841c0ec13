import Testing

@testable import ClusterLog

@Suite struct NodeNoticeTests {
    private let node = NodeID(bits: 0x0102_0304_0506_0708)

    @Test(arguments: [NodeNotice.here, .new, .leaving])
    func `what a node says of itself is read by all`(notice: NodeNotice) throws {
        let read = try #require(NodeMessage.parseNotice(NodeMessage.notice(notice, from: node)))
        #expect(read.node == node && read.notice == notice)
    }

    @Test func `a message is who says it, and the rest`() throws {
        let read = try #require(NodeMessage.parse(NodeMessage.bytes(from: node, [7, 8])))
        #expect(read.node == node && Array(read.body) == [7, 8])
        #expect(try #require(NodeMessage.parse(NodeMessage.bytes(from: node, []))).body.isEmpty)
        #expect(node.name == "node-0102030405060708")
    }

    @Test(
        arguments: [[], [1], [1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]]
    )
    func `anything else is nobody's`(bytes: [UInt8]) {
        #expect(NodeMessage.parse(bytes) == nil)
        #expect(NodeMessage.parseNotice(bytes) == nil)
    }

    @Test func `another word is no notice`() {
        for body in [[], [3], [255], [0, 0]] as [[UInt8]] {
            #expect(NodeMessage.parseNotice(NodeMessage.bytes(from: node, body)) == nil)
        }
    }
}
