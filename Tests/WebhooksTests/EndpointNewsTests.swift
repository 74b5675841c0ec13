import Testing

@testable import Webhooks

@Suite struct EndpointNewsTests {
    @Test func `the first failure is told, and the first success after it`() {
        var news = EndpointNews()
        #expect(news.note(hasFailed: false, now: 0) == nil)
        #expect(news.note(hasFailed: true, now: 1) == .beganToFail)
        #expect(news.note(hasFailed: true, now: 2) == nil)
        #expect(news.note(hasFailed: false, now: 3) == .worksAgain)
        #expect(news.note(hasFailed: false, now: 4) == nil)
    }

    @Test func `one that fails now and then is told of once a minute, and still fails is told after it`() {
        var news = EndpointNews()
        var told: [EndpointNews.Item] = []
        for now in stride(from: 0 as Int64, to: 10 * EndpointNews.period, by: 10) {
            if let item = news.note(hasFailed: now / 10 % 2 == 0, now: now) { told.append(item) }
        }
        #expect(told.filter { $0 == .beganToFail }.count == 10)
        #expect(told.filter { $0 == .worksAgain }.count == 10)
        #expect(news.note(hasFailed: true, now: 10 * EndpointNews.period - 1) == nil)
        #expect(news.note(hasFailed: true, now: 10 * EndpointNews.period) == .beganToFail)
    }
}
