#if canImport(Darwin)
    import Dispatch

    /// A counting semaphore whose time passes by a monotonic clock, as Dispatch's does here.
    public final class Semaphore: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        /// One whose first wait lasts until it is signalled.
        public init() {}

        /// Ends one wait, now or later.
        public func signal() {
            semaphore.signal()
        }

        /// Waits until it is signalled, or the time is up.
        ///
        /// - Parameter duration: less than a century.
        /// - Returns: whether it was signalled.
        public func wait(atMost duration: Duration) -> Bool {
            let (seconds, attoseconds) = duration.components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            return semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
        }
    }
#else
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A counting semaphore whose time passes by the monotonic clock.
    ///
    /// Dispatch's waits by the clock of the day on Linux (sem_timedwait(3)): where that is set back by an hour meanwhile,
    /// half a millisecond becomes an hour. `sem_clockwait` is not in every C library, so it is a condition variable.
    ///
    /// `@unchecked Sendable`: the count is touched with the mutex locked only; the pointers are constant.
    @safe
    public final class Semaphore: @unchecked Sendable {
        /// Their addresses are what the C library knows them by, so they have a place of their own.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let condition: UnsafeMutablePointer<pthread_cond_t>
        private var count = 0

        /// One whose first wait lasts until it is signalled.
        public init() {
            unsafe mutex = .allocate(capacity: 1)
            unsafe condition = .allocate(capacity: 1)
            // None of these fails for these values (pthread_condattr_setclock(3)).
            unsafe pthread_mutex_init(mutex, nil)
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(condition, &attributes)
            unsafe pthread_condattr_destroy(&attributes)
        }

        deinit {
            unsafe pthread_cond_destroy(condition)
            unsafe pthread_mutex_destroy(mutex)
            unsafe condition.deallocate()
            unsafe mutex.deallocate()
        }

        /// Ends one wait, now or later.
        public func signal() {
            unsafe pthread_mutex_lock(mutex)
            count += 1
            unsafe pthread_mutex_unlock(mutex)
            unsafe pthread_cond_signal(condition)
        }

        /// Waits until it is signalled, or the time is up.
        ///
        /// - Parameter duration: less than a century.
        /// - Returns: whether it was signalled.
        public func wait(atMost duration: Duration) -> Bool {
            var end = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &end)
            let (seconds, attoseconds) = duration.components
            let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
            end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
            end.tv_nsec = nanoseconds % 1_000_000_000
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            while count == 0 {
                guard unsafe pthread_cond_timedwait(condition, mutex, &end) == 0 else { break }
            }
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
#endif
