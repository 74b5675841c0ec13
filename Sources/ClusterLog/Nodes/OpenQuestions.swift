/// The questions of this node that wait for answers. Pure: whoever holds it tells what it returns, after unlocking.
struct OpenQuestions {
    /// Whoever asked, and what there is to tell.
    typealias Telling = (tell: @Sendable (NodeAnswers) -> Void, answers: NodeAnswers)

    private struct Question {
        /// Whose answer is waited for.
        var awaited: Set<NodeID>
        /// Who is known not to answer.
        let silent: Set<NodeID>
        var said: [NodeID: [UInt8]] = [:]
        let deadline: ContinuousClock.Instant
        /// Whether an answer makes all others superfluous.
        let isEnough: (@Sendable ([UInt8]) -> Bool)?
        /// Whether it goes on until the deadline, whoever has answered: there may be nodes that nobody knows of.
        let isOpenEnded: Bool
        let tell: @Sendable (NodeAnswers) -> Void
    }

    private var number: UInt64 = 0
    private var questions: [UInt64: Question] = [:]

    /// How many answers one question takes, from whomever.
    static let mostAnswers = KnownNodes.maximum

    /// - Returns: the number that answers carry.
    mutating func add(
        awaiting awaited: Set<NodeID>,
        silent: Set<NodeID>,
        until deadline: ContinuousClock.Instant,
        isOpenEnded: Bool = false,
        isEnough: (@Sendable ([UInt8]) -> Bool)? = nil,
        tell: @escaping @Sendable (NodeAnswers) -> Void
    ) -> UInt64 {
        number += 1
        questions[number] = Question(
            awaited: awaited,
            silent: silent,
            deadline: deadline,
            isEnough: isEnough,
            isOpenEnded: isOpenEnded,
            tell: tell
        )
        return number
    }

    /// What tells of an answer to a question whether it makes all others superfluous; nil if none does.
    func sufficiency(of number: UInt64) -> (@Sendable ([UInt8]) -> Bool)? { questions[number]?.isEnough }

    /// Takes an answer. The first of a node counts.
    /// - Returns: whom to tell if there is nothing more to wait for.
    mutating func take(
        _ answer: [UInt8],
        from node: NodeID,
        to number: UInt64,
        isEnough: Bool = false
    ) -> Telling? {
        guard var question = questions[number], question.said[node] == nil, question.said.count < Self.mostAnswers
        else { return nil }
        question.said[node] = answer
        question.awaited.remove(node)
        if isEnough || question.awaited.isEmpty && !question.isOpenEnded { return end(number, question) }
        questions[number] = question
        return nil
    }

    /// A node has left: its answer is waited for no longer, and not missed.
    mutating func leave(_ node: NodeID) -> [Telling] {
        questions.keys.compactMap { number in
            guard var question = questions[number], question.awaited.remove(node) != nil else { return nil }
            if question.awaited.isEmpty, !question.isOpenEnded { return end(number, question) }
            questions[number] = question
            return nil
        }
    }

    /// Ends those whose time is up.
    mutating func expire(at now: ContinuousClock.Instant) -> [Telling] {
        questions.filter { $0.value.deadline <= now }.map { end($0.key, $0.value) }
    }

    /// Ends all.
    mutating func endAll() -> [Telling] { questions.map { end($0.key, $0.value) } }

    private mutating func end(_ number: UInt64, _ question: Question) -> Telling {
        questions[number] = nil
        let missing = question.awaited.union(question.silent).subtracting(question.said.keys)
        let said = Dictionary(uniqueKeysWithValues: question.said.map { ($0.key.name, $0.value) })
        return (question.tell, NodeAnswers(said: said, missing: missing.isEmpty ? nil : missing.map(\.name).sorted()))
    }
}
