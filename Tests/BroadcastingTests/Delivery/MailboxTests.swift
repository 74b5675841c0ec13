import Testing

@testable import Broadcasting

@Suite struct MailboxTests {
    @Test func `only the first message of a batch asks for a drain`() {
        var mailbox = Mailbox<Int>()
        #expect(mailbox.post(1) == true)
        #expect(mailbox.post(2) == false)
        #expect(mailbox.takeBatch() == [1, 2])
        #expect(mailbox.finishBatch() == nil)
        #expect(mailbox.post(3) == true)
    }

    @Test func `messages that come during a drain wait for the next one`() {
        var mailbox = Mailbox<Int>()
        #expect(mailbox.post(1) == true)
        #expect(mailbox.takeBatch() == [1])
        #expect(mailbox.post(2) == false, "the drain that runs will ask for the next")
        #expect(mailbox.finishBatch() == 2)
        #expect(mailbox.post(3) == false)
        #expect(mailbox.takeBatch() == [2, 3])
        #expect(mailbox.finishBatch() == nil)
    }
}
