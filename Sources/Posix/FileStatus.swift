#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#elseif canImport(Darwin)
    package import Darwin
#endif

/// What the system says of a file (stat(2)).
package struct FileStatus {
    private var status = stat()

    /// Nil if there is none of that name. Symbolic links are followed.
    package init?(of path: String) {
        // `unsafe`: stat(2) fills the structure that it is lent.
        guard unsafe stat(path, &status) == 0 else { return nil }
    }

    /// The same of a symbolic link itself, if there is one of that name.
    package init?(notFollowing path: String) {
        // `unsafe`: as above.
        guard unsafe lstat(path, &status) == 0 else { return nil }
    }

    package var size: Int { Int(status.st_size) }
    package var kind: mode_t { status.st_mode & S_IFMT }
    /// Whether every user of the machine may read it, but for what the folders that it is in keep from them.
    package var isReadableByAll: Bool { status.st_mode & S_IROTH != 0 }
    package var owner: (user: uid_t, group: gid_t) { (status.st_uid, status.st_gid) }

    /// Which file it is, whatever it is called.
    package var identity: [UInt64] { [UInt64(status.st_dev), UInt64(status.st_ino)] }

    /// Whether nothing was written since, nor another file put in its place.
    package func isUnchanged(since other: FileStatus) -> Bool {
        identity == other.identity && size == other.size && changed == other.changed
    }

    private var changed: [Int] {
        #if canImport(Darwin)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        return times.flatMap { [$0.tv_sec, $0.tv_nsec] }
    }
}
