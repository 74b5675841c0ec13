import Posix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the system knows of this process, under the names that Prometheus's own clients use.
public enum ProcessReadings {
    /// Every metric that there may be.
    public static let descriptions = [cpu, memory, openFiles, maximumFiles, start]

    /// What can be read now: what the system does not tell is left out. Reads files of `/proc`.
    public static var all: [MetricReading] {
        var readings: [MetricReading] = []
        func add(_ description: MetricDescription, _ value: Double?) {
            if let value { readings.append(MetricReading(description, value)) }
        }
        add(cpu, seconds(of: CLOCK_PROCESS_CPUTIME_ID))
        #if os(Linux)
            add(memory, ProcFile.residentBytes)
            add(openFiles, ProcFile.openFiles)
        #endif
        add(maximumFiles, fileLimit)
        #if os(Linux)
            add(start, ProcFile.startTime)
        #endif
        return readings
    }

    private static let cpu = MetricDescription(
        "process_cpu_seconds_total",
        .counter,
        "Processor time that the process has taken, in seconds."
    )
    private static let memory = MetricDescription(
        "process_resident_memory_bytes",
        .gauge,
        "Resident memory, in bytes."
    )
    private static let openFiles = MetricDescription("process_open_fds", .gauge, "Open file descriptors.")
    private static let maximumFiles = MetricDescription(
        "process_max_fds",
        .gauge,
        "How many file descriptors the process may have."
    )
    private static let start = MetricDescription(
        "process_start_time_seconds",
        .gauge,
        "When the process was started, in seconds since 1970."
    )

    static func seconds(of clock: clockid_t) -> Double? {
        var time = timespec()
        // `unsafe`: clock_gettime(2) fills the structure that it is lent.
        guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var fileLimit: Double? { SystemLimits.openFiles.map { Double($0) } }
}
