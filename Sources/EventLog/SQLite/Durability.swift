/// What an acknowledged event survives.
public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// A power cut: each commit waits for the disk (SQLite's write-ahead log with `synchronous=FULL`).
    case disk
    /// The death of the process, also by SIGKILL, but not of the machine (`synchronous=NORMAL`).
    case process
    /// Nothing: the log is kept in memory only.
    case memory
}
