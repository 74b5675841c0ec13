/// How long a handler without an owner observes.
public enum ObservationScope: Sendable {
    /// As long as the centre lives: for the shared one, until the program ends.
    case always

    /// Until a bag is released. It is held weakly.
    case until(DisposeBag)
}
