/// How often key sets are fetched.
struct KeySetPace: Sendable {
    /// So long after it was fetched, a set is fetched again.
    var refresh: Duration = .seconds(3600)

    /// So long after a URL was asked, it is not asked again, whatever tokens name and however often.
    var least: Duration = .seconds(60)
}
