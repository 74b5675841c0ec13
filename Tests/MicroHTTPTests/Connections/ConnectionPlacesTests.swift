import Testing

@testable import MicroHTTP

@Suite struct ConnectionPlacesTests {
    @Test func `exactly so many are taken as there are, and one that is given back is free again`() {
        let places = ConnectionPlaces(maximum: 8)
        for _ in 0..<8 {
            #expect(places.hasRoom)
            #expect(places.take())
        }
        for _ in 0..<3 {
            #expect(!places.hasRoom)
            #expect(!places.take())
        }
        places.giveBack()
        #expect(places.hasRoom)
        #expect(places.take())
        #expect(!places.take())
    }

    @Test(arguments: [(8, 6), (3, 3), (10_000, 9_488)])
    func `it is crowded in the last quarter, which is 512 at most`(maximum: Int, most: Int) {
        let places = ConnectionPlaces(maximum: maximum)
        for _ in 0..<most { _ = places.take() }
        #expect(!places.isCrowded)
        _ = places.take()
        #expect(places.isCrowded == (most < maximum))
    }
}
