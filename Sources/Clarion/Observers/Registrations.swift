/// Everything that ends with an observer, kept by the observer itself: when it goes, its entries go at once.
struct Registrations: Sendable {
    /// Nil while it hears nothing.
    let topics: TopicRegistration?
    let directory: ObserverDirectory.Listing
}
