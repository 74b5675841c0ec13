#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of certificate authorities, as libcurl reads it. It says only at a connection that it could not.
package enum AuthoritiesFile {
    /// Why it cannot be used; nil if it can.
    package static func fault(_ path: String) -> String? {
        let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8)
        guard let text, text.contains("-----BEGIN CERTIFICATE-----") else {
            return "\(path) is no readable PEM file of certificates"
        }
        return nil
    }
}
