import Glibc

/// Finds the web console's files when no setting names their folder.
enum PublicFolder {
    /// `Public` in the working folder; beside the program, also three folders up, where a build leaves it; or installed.
    static func find() -> String? {
        var candidates = ["Public"]
        if let program = program() {
            let folder = program.split(separator: "/").dropLast()
            for up in 0...3 where up <= folder.count {
                candidates.append("/" + folder.dropLast(up).joined(separator: "/") + "/Public")
            }
        }
        candidates.append("/usr/share/clarion/Public")
        return candidates.first { unsafe access("\($0)/index.html", R_OK) == 0 }
    }

    /// The running program's path (proc(5), `/proc/self/exe`).
    private static func program() -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = unsafe readlink("/proc/self/exe", start, buffer.count - 1)
            guard length > 0 else { return nil }
            unsafe start[length] = 0
            return unsafe String(cString: start)
        }
    }
}
