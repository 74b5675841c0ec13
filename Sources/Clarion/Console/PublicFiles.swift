import FoundationEssentials
import MicroHTTP
import Notation

/// The files of the console, read once at start: a path of a request is only ever compared with names that were found,
/// so none can lead out of the folder.
package struct PublicFiles: Sendable {
    private struct File: Sendable {
        let contents: ConstantBody
        let contentType: String
        let tag: EntityTag
    }

    /// By the bytes of their segments: a file system tells names in two normal forms apart.
    private var files: [[[UInt8]]: File] = [:]

    /// The folder below which pages find all of these files as they are now: who has one of it never asks for that again.
    private let version: String

    /// What stands in pages in its place.
    private static let anyVersion = "v-0"

    private static let contentTypes = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "json": "application/json",
        "woff2": "font/woff2", "txt": "text/plain; charset=utf-8", "webmanifest": "application/manifest+json",
    ]

    /// Only what this origin serves, nothing inline, framed by nobody.
    private static let contentSecurityPolicy =
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

    /// Whether there is a folder whose files can be served.
    ///
    /// - Throws: ``HubError`` with code ``HubError/publicFolderUnreadable``.
    package static func check(folder: String) throws(HubError) {
        _ = try paths(in: folder)
    }

    /// Everything in a folder and those below it, by its way from there.
    private static func paths(in folder: String) throws(HubError) -> [String] {
        do {
            // The first fails for a file, which the second takes for an empty folder.
            _ = try FileManager.default.contentsOfDirectory(atPath: folder)
            return try FileManager.default.subpathsOfDirectory(atPath: folder)
        } catch {
            throw HubError(
                code: HubError.publicFolderUnreadable,
                message: "\(folder) is no folder that can be read",
                cause: error
            )
        }
    }

    /// Reads a folder and those below it; hidden files are left out.
    ///
    /// - Throws: ``HubError`` with code ``HubError/publicFolderUnreadable``.
    init(folder: String) throws(HubError) {
        let manager = FileManager.default
        var found: [(segments: [String], contents: [UInt8])] = []
        for path in try Self.paths(in: folder).sorted() {
            let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            var isFolder = false
            guard !segments.contains(where: { $0.utf8.first == UInt8(ascii: ".") }),
                manager.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder), !isFolder,
                let contents = manager.contents(atPath: "\(folder)/\(path)")
            else { continue }
            found.append((segments, [UInt8](contents)))
        }
        version =
            "v-" + Self.fingerprint(found.flatMap { Array($0.segments.joined(separator: "/").utf8) + $0.contents })
        for (segments, contents) in found {
            let suffix = segments[segments.count - 1].split(separator: ".").last.map(String.init) ?? ""
            let bytes = suffix == "html" ? Self.page(contents, of: version) : contents
            files[segments.map { Array($0.utf8) }] = File(
                contents: ConstantBody(bytes),
                contentType: Self.contentTypes[suffix] ?? "application/octet-stream",
                tag: EntityTag(Self.fingerprint(bytes))
            )
        }
    }

    /// A page whose references lead to a version.
    private static func page(_ contents: [UInt8], of version: String) -> [UInt8] {
        contents.replacing(Array("=\"\(anyVersion)/".utf8), with: Array("=\"\(version)/".utf8))
    }

    /// Answers with a file; a folder's is its `index.html`.
    func response(to request: Request) throws(Problem) -> Response {
        let path = request.target.segments.map { Array($0.utf8) }
        // Below a file there is nothing.
        let named = request.target.endsInSlash ? nil : files[path] ?? versioned(path)
        guard let file = named ?? files[path + [Array("index.html".utf8)]] else {
            throw Problem(
                .notFound,
                code: "route-unknown",
                detail: "Nothing is served at this path. `/docs` lists the routes."
            )
        }
        let fields = HTMLPage.fields(
            contentSecurityPolicy: Self.contentSecurityPolicy,
            isLasting: request.target.segments.first == version
        )
        let headers = [("ETag", file.tag.description)] + fields
        // What is answered 405 is not looked at for conditions (RFC 9110 section 13.2.1).
        if request.method == .get || request.method == .head {
            switch try Preconditions(request).unmet(by: .tagged(file.tag)) {
            case nil: break
            case .match: throw Preconditions.problem(.match, of: .tagged(file.tag), code: "precondition-failed")
            case .noneMatch: return Response(.notModified, headers: headers, constant: file.contents)
            }
        }
        return Response(.ok, headers: headers + [("Content-Type", file.contentType)], constant: file.contents)
    }

    /// What a page of before an update asks for is there as it is now. It is not to be kept as what it was.
    private func versioned(_ path: [[UInt8]]) -> File? {
        guard let first = path.first, first.starts(with: "v-".utf8) else { return nil }
        return files[Array(path.dropFirst())]
    }

    /// FNV-1a over 64 bits: tells versions of one file apart; nobody gains by a collision.
    private static func fingerprint(_ contents: [UInt8]) -> String {
        String(hexadecimal: contents.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }
}

extension Routes {
    /// `GET /` and below.
    mutating func addPublicFiles(_ files: PublicFiles) {
        otherwise("/{file}", .openConsole) { request throws(Problem) in .now(try files.response(to: request)) }
    }
}
