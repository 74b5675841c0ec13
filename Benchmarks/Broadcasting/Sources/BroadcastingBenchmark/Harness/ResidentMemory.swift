import Foundation

/// Memory of this process that is in RAM, in bytes; `nil` where there is no `/proc`.
func residentMemory() -> Int? {
    guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " "),
        pages.count > 1
    else { return nil }
    // statm counts pages: proc_pid_statm(5).
    return Int(pages[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
}
