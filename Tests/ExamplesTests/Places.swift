import Foundation

/// Where the tests find what they try.
enum Places {
    /// The root of the package.
    static let package = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    /// The sources of the examples, a folder for each.
    static let examples = package.appending(path: "Examples")

    /// The articles about the library.
    static let catalog = package.appending(path: "Sources/Broadcasting/Broadcasting.docc")

    /// The folder of the running test binary, where the build puts the examples' executables, too.
    static let products: URL = {
        #if os(Linux)
            URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        #else
            Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }!.bundleURL.deletingLastPathComponent()
        #endif
    }()

    /// What is in a folder, hidden files left out.
    static func contents(of folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [.isDirectoryKey],
            options: .skipsHiddenFiles
        )
    }
}
