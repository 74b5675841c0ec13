/// Paths as texts: URLs would make directories of some and decode others.
enum FilePaths {
    /// The folder that a file lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path as one that does not depend on a file's own folder any more.
    static func path(_ path: String, relativeTo folder: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)"
    }
}
