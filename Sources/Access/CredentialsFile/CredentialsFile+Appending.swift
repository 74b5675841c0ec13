public import FoundationEssentials
import JSON

extension NewKey {
    /// Adds the entry to a credentials file, which is made if there is none. All else in it stays byte for byte.
    ///
    /// The file is replaced at once, readable and writable for its owner alone; several that add at the same time wait for
    /// each other.
    ///
    /// - Throws: ``CredentialsError`` if the file is no credentials file, or cannot be written; it is then as it was.
    public func append(to file: URL) throws(CredentialsError) {
        let path = file.path(percentEncoded: false)
        do throws(MemberFault) {
            try FileReplacement.replace(path) { bytes throws(MemberFault) in
                let folder = FilePaths.folder(of: path)
                let before = try bytes.map { bytes throws(MemberFault) in try CredentialsFile(bytes, folder: folder) }
                let text = try bytes.map { bytes throws(MemberFault) in try inserted(into: bytes) } ?? alone
                let after = try CredentialsFile(text, folder: folder)
                guard after.keys == (before?.keys ?? []) + [entry] else {
                    throw MemberFault(path: "keys", message: "The key cannot be added. Use --print and add it by hand.")
                }
                return text
            }
        } catch {
            throw CredentialsError(path, error)
        }
    }

    /// A file of nothing else.
    private var alone: [UInt8] { Array("{\n  \"keys\": [\n    \(entryText)\n  ]\n}\n".utf8) }

    /// - Parameter bytes: a credentials file.
    private func inserted(into bytes: [UInt8]) throws(MemberFault) -> [UInt8] {
        guard let file = (try? JSONDocument(bytes))?.root, let members = file.members else {
            throw MemberFault(path: "", message: "It is no object.")
        }
        guard let keys = members["keys"] else {
            let comma = members.isEmpty ? "\n" : ","
            return bytes.inserting(
                "\n  \"keys\": [\n    \(entryText)\n  ]\(comma)",
                at: file.place.lowerBound + 1
            )
        }
        guard let last = keys.elements()?.last?.place else {
            return bytes.inserting(" \(entryText) ", at: keys.place.lowerBound + 1)
        }
        // As far from the element before it as that one from what is before.
        let gap = bytes[..<last.lowerBound].reversed().prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let space = String(decoding: gap.reversed(), as: UTF8.self)
        return bytes.inserting(",\(space)\(entryText)", at: last.upperBound)
    }
}

extension [UInt8] {
    fileprivate func inserting(_ text: String, at place: Int) -> [UInt8] {
        self[..<place] + Array(text.utf8) + self[place...]
    }
}
