/// How much of what may be under way at once is in use, by what is known of the endpoints.
///
/// Whether an endpoint that answered before hangs now is known a second later. So lanes that answer take only a part of
/// what slow ones leave, until they have answered: if all of them hang, each second takes a part of what is left, and
/// it lasts until the first time out. The last part is for lanes that answered within the last second; of half of it others
/// get one at a time, so that one which had nothing to answer for a second is not taken for those that hang.
struct Shares {
    let total: Int
    private(set) var proven = 0
    private(set) var unknown = 0
    private(set) var slow = 0

    var inUse: Int { proven + unknown + slow }

    mutating func add(_ weight: Int, of standing: Standing) {
        switch standing {
        case .prompt, .proven: proven += weight
        case .unknown: unknown += weight
        case .slow: slow += weight
        }
    }

    /// Whether another attempt may begin, of a lane of that standing.
    func hasRoom(for standing: Standing) -> Bool {
        let free = max(total - unknown - slow, 0)
        let rest = total / 64
        return switch standing {
        case .prompt: proven < (free * 3 + 3) / 4
        case .proven: proven < (free + 1) / 2 && free > rest || proven == 0 && free > (rest + 1) / 2
        case .unknown: unknown + slow < (total * 3 + 3) / 4
        case .slow: slow < (total + 1) / 2 && unknown + slow < (total * 3 + 3) / 4
        }
    }
}
