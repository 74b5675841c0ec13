/// How many there are of something, of which the log may have so many only.
struct Quota {
    /// What it is of, as a refusal says.
    let name: String
    let limit: Int
    var count = 0

    /// Whether so many more are surely not too many.
    func mayAdd(_ more: Int) -> Bool { count + more <= limit }

    /// Refuses so many more if they are too many.
    func check(adding more: Int, at place: Int? = nil) throws(EventLogError) {
        if mayAdd(more) { return }
        let message = "The log may have \(limit) \(name), and has no room for \(more) more."
        throw EventLogError(code: .limitReached, message: message, place: place)
    }
}
