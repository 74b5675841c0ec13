/// Values by their keys, of those keys that were in use lately.
///
/// Two generations: when the younger is full it becomes the elder, and the elder is forgotten. So memory is bounded, and what
/// is in use stays.
struct RecentValues<Key: Hashable, Value> {
    private let generationSize: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) { generationSize = max(capacity / 2, 1) }

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            self[key] = value
            return value
        }
        set {
            if newValue == nil {
                old[key] = nil
            } else if young.count >= generationSize, young[key] == nil {
                old = young
                young = [:]
            }
            young[key] = newValue
        }
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
