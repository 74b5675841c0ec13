import Foundation
import Testing

@Suite struct ExamplesTests {
    @Test(arguments: transcripts.keys.sorted())
    func `an example prints what its transcript says and ends by itself`(name: String) async throws {
        let outcome = try await Command(executable: Places.products.appending(path: name)).run()
        #expect(outcome.status == 0)
        #expect(outcome.output == transcripts[name])
    }

    @Test func `each folder of an example has a transcript`() throws {
        let folders = try Places.contents(of: Places.examples)
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .map(\.lastPathComponent)
        // The receivers of webhooks run until they are ended: Tests/EndToEnd/test_receivers.py.
        #expect(folders.sorted() == (transcripts.keys + ["Receivers"]).sorted())
    }

    #if os(Linux)
        @Test(arguments: transcripts.keys.filter { $0 != "EmbeddedHub" }.sorted())
        func `a program that uses the library alone needs no Foundation`(name: String) async throws {
            let ldd = Command(
                executable: URL(filePath: "/usr/bin/ldd"),
                arguments: [Places.products.appending(path: name).path]
            )
            let outcome = try await ldd.run()
            #expect(outcome.status == 0)
            // Libraries of libraries, too. The runtime is among them, so the list is one.
            #expect(outcome.output.contains("libswiftCore"))
            #expect(!outcome.output.contains("Foundation"), "\(outcome.output)")
        }
    #endif
}
