#if os(Linux)
    import Posix

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What stands in `/proc` of this process (proc(5)).
    enum ProcFile {
        static var residentBytes: Double? {
            let pages = text(of: "/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
            return pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
        }

        static var openFiles: Double? {
            // Since Linux 6.2 it is the folder's size. To go through ten thousand takes 8 ms.
            var status = stat()
            if unsafe stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Double(status.st_size) }
            guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
            defer { unsafe closedir(folder) }
            // Less `.`, `..` and the folder's own.
            var count = -3
            while unsafe readdir(folder) != nil { count += 1 }
            return Double(count)
        }

        /// Field 22 of `stat` counts from the start of the machine, which the clocks tell also where `/proc` has processes
        /// alone (systemd's `ProcSubset=pid`). Found once, so that a clock that is set does not look like a new start.
        static let startTime: Double? = {
            guard let stat = text(of: "/proc/self/stat"), let end = stat.lastIndex(of: ")"),
                let now = ProcessReadings.seconds(of: CLOCK_REALTIME),
                let sinceBoot = ProcessReadings.seconds(of: CLOCK_BOOTTIME)
            else { return nil }
            // The name, in parentheses, is the second field and may have blanks.
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
            return now - sinceBoot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }()

        private static func text(of path: String) -> String? {
            guard let file = try? FileDescriptor(path: path, flags: O_RDONLY) else { return nil }
            defer { file.close() }
            return (try? file.readAll(atMost: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        }
    }
#endif
