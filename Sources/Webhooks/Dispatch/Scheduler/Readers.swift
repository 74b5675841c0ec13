import DequeModule

/// The lanes that wait for their turn to read: their ``Lane/reading`` says so.
struct Readers {
    var queue: Deque<Int> = []
    var backoff = Backoff()
}
