import Testing

@testable import ClusterLog

@Suite struct OpenQuestionsTests {
    private let start = ContinuousClock.now
    private let one = NodeID(bits: 1)
    private let other = NodeID(bits: 2)
    private let third = NodeID(bits: 3)

    private func add(
        _ questions: inout OpenQuestions,
        silent: Set<NodeID> = [],
        isOpenEnded: Bool = false
    ) -> UInt64 {
        questions.add(
            awaiting: [one, other],
            silent: silent,
            until: start + .seconds(1),
            isOpenEnded: isOpenEnded,
            tell: { _ in }
        )
    }

    @Test func `ends when all have answered, with what each said first`() throws {
        var questions = OpenQuestions()
        let number = add(&questions)
        let step1 = questions.take([1], from: one, to: number)
        #expect(step1 == nil)
        let step2 = questions.take([9], from: one, to: number)
        #expect(step2 == nil)
        let step3 = questions.take([2], from: other, to: number + 1)
        #expect(step3 == nil)
        let step4 = questions.take([2], from: other, to: number)
        let telling = try #require(step4)
        #expect(telling.answers.said == [one.name: [1], other.name: [2]])
        #expect(telling.answers.missing == nil)
        let step5 = questions.take([2], from: third, to: number)
        #expect(step5 == nil)
        let step6 = questions.expire(at: start + .seconds(1))
        #expect(step6.isEmpty)
    }

    @Test func `names who has not answered in time`() throws {
        var questions = OpenQuestions()
        let number = add(&questions, silent: [third])
        let step7 = questions.take([1], from: one, to: number)
        #expect(step7 == nil)
        let step8 = questions.expire(at: start)
        #expect(step8.isEmpty)
        let tellings = questions.expire(at: start + .seconds(1))
        #expect(tellings.count == 1)
        #expect(tellings.first?.answers.said == [one.name: [1]])
        #expect(tellings.first?.answers.missing == [other.name, third.name])
    }

    @Test func `one that was silent and answers is not missed, nor one that has left`() throws {
        var questions = OpenQuestions()
        let number = add(&questions, silent: [third])
        let step9 = questions.take([3], from: third, to: number)
        #expect(step9 == nil)
        let step10 = questions.take([1], from: one, to: number)
        #expect(step10 == nil)
        let tellings = questions.leave(other)
        #expect(tellings.map(\.answers.missing) == [nil])
        #expect(tellings.first?.answers.said.count == 2)
    }

    @Test func `an answer that is enough ends it`() throws {
        var questions = OpenQuestions()
        let number = add(&questions)
        let step11 = questions.take([1], from: one, to: number, isEnough: true)
        let telling = try #require(step11)
        #expect(telling.answers.said == [one.name: [1]])
    }

    @Test func `an open end waits for those whom nobody knows`() {
        var questions = OpenQuestions()
        let number = add(&questions, isOpenEnded: true)
        for node in [one, other] {
            let step = questions.take([1], from: node, to: number)
            #expect(step == nil)
        }
        let step12 = questions.leave(one)
        #expect(step12.isEmpty)
        let step13 = questions.take([1], from: third, to: number)
        #expect(step13 == nil)
        let step14 = questions.expire(at: start + .seconds(1))
        #expect(step14.first?.answers.said.count == 3)
    }

    @Test func `a stranger cannot make it grow`() {
        var questions = OpenQuestions()
        let number = add(&questions)
        for bits in 3...10_000 { _ = questions.take([0], from: NodeID(bits: UInt64(bits)), to: number) }
        let step15 = questions.expire(at: start + .seconds(1))
        #expect(step15.first?.answers.said.count == OpenQuestions.mostAnswers)
    }
}
