/// The key of a table that has but one.
struct SoleKey: Hashable, Sendable {}
