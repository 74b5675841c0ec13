import Foundation

/// A `nats-server` with JetStream, for all tests of the process; it ends with it.
final class NATSServer: Sendable {
    /// Nil if the program is not installed, or does not start.
    static let shared = try? NATSServer()

    let port: Int
    private let directory: TemporaryDirectory

    private struct Missing: Error {}

    private init() throws {
        let program = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].first(
            where: FileManager.default.isExecutableFile
        )
        guard let program else {
            print("The log of a cluster is not tested: there is no nats-server.")
            throw Missing()
        }
        directory = try TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let path = directory.path
        // It ends when the pipe that only this process holds does.
        process.arguments = [
            "-c",
            """
            \(program) -js -sd '\(path)' -a 127.0.0.1 -p -1 --ports_file_dir '\(path)' >'\(path)/log' 2>&1 & server=$!
            cat >/dev/null; kill -9 $server
            """,
        ]
        process.standardInput = Self.lifeline
        try process.run()
        let deadline = Date.now + 20
        while Date.now < deadline {
            let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".ports") }
            if let name = names.first, let text = try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8),
                let match = text.firstMatch(of: /nats:\/\/[^:"]+:([0-9]+)/), let port = Int(match.1)
            {
                self.port = port
                return
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw Missing()
    }

    private static let lifeline = Pipe()
}
