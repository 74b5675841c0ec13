import EventLog
import Testing

@testable import ClusterLog

@Suite struct SubjectsTests {
    private let subjects = Subjects(of: "shop")

    @Test(arguments: [
        ("orders.created", "orders.created"), ("a..b", "a.=.b"), (".a", "=.a"), ("a.", "a.="), ("a=b", "a=3Db"),
        (">", "=3E"), ("é", "=C3=A9"), ("a_b-c", "a_b-c"), ("https://x/1", "https=3A=2F=2Fx=2F1"), ("$JS", "=24JS"),
    ])
    func `a topic's subject is made of tokens that NATS takes`(name: String, subject: String) throws {
        #expect(subjects.events(of: try Topic(name)) == "clarion.shop.topic.\(subject)")
    }

    @Test func `no two topics have the same`() throws {
        // Every text of up to five of the characters that mean something.
        var names = [""]
        for _ in 0..<5 { names += names.flatMap { name in [".", "=", "a", "3", "D"].map { name + $0 } } }
        let topics = Set(names.compactMap { try? Topic($0) })
        #expect(Set(topics.map(subjects.events)).count == topics.count)
        for subject in topics.map(subjects.events) {
            #expect(!subject.split(separator: ".", omittingEmptySubsequences: false).contains(""))
        }
    }
}
