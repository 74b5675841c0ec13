import EventLog
import Webhooks
import Testing

@testable import Clarion
@testable import MicroHTTP

@Suite struct StreamPlacesTests {
    private func client(_ address: String) throws -> StreamPlaces.Client {
        let request = try Request(fields: [], from: address)
        return .address(ClientAddress(request))
    }

    private func place(_ answer: StreamPlaces.Answer) -> StreamPlace? {
        if case .granted(let place) = answer { place } else { nil }
    }

    @Test func `of many at once exactly so many are granted, and nothing is left when they are gone`() async throws {
        let places = StreamPlaces(maximum: 1_000, perClient: 100)
        let clients = try (0..<3).map { try client("192.0.2.\($0):1") }
        for _ in 0..<5 {
            await takeAll(of: places, for: clients)
            // A task lets go of its result a moment after its group has returned: in the next round it would have a place.
            try await eventually { places.count == 0 }
            #expect(places.clients.isEmpty)
        }
    }

    private func takeAll(of places: StreamPlaces, for clients: [StreamPlaces.Client]) async {
        let granted = await withTaskGroup(of: StreamPlace?.self) { group in
            for number in 0..<1_000 {
                group.addTask { place(places.take([clients[number % 3]], displacing: nil)) }
            }
            return await group.reduce(into: []) { if let place = $1 { $0.append(place) } }
        }
        #expect(granted.count == 300)
        #expect(places.clients.values.allSatisfy { $0 == 100 })
        withExtendedLifetime(granted) {}
    }

    @Test func `all clients of a stream have room, or none of them counts it`() throws {
        let places = StreamPlaces(maximum: 10, perClient: 1)
        let (one, two) = (try client("192.0.2.1:1"), try client("192.0.2.2:1"))
        let held = place(places.take([one], displacing: nil))
        #expect(held != nil)
        #expect(place(places.take([two, one], displacing: nil)) == nil)
        #expect(places.clients == [one: 1])
    }

    @Test func `who takes a name over may have one more, but not without end`() throws {
        let places = StreamPlaces(maximum: 100, perClient: 5)
        let (one, two) = (try client("192.0.2.1:1"), try client("192.0.2.2:1"))
        var held: [StreamPlace] = []
        for _ in 0..<100 { if let next = place(places.take([one], displacing: nil)) { held.append(next) } }
        #expect(held.count == 5)
        // Those that are displaced do not go: their client does not read.
        for _ in 0..<100 { if let next = place(places.take([one], displacing: held.last)) { held.append(next) } }
        #expect(held.count == 10)
        // Another's stream makes no room.
        let others = place(places.take([two], displacing: nil))
        #expect(place(places.take([one], displacing: others)) == nil)
    }
}
