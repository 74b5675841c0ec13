import Posix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file of certificate authorities, as libcurl reads it. It says only at a connection that it could not.
package enum AuthoritiesFile {
    /// Those of a system take less than one: what is larger is another file, which libcurl would read whole.
    private static let maximumMebibytes = 16

    /// Why it cannot be used; nil if it can.
    package static func fault(_ path: String) -> String? {
        do throws(SystemError) {
            let bytes = try FileContents.read(path, atMost: maximumMebibytes << 20)
            if bytes?.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) != nil { return nil }
        } catch {
            if error.number == EFBIG { return "\(path) is larger than \(maximumMebibytes)MiB" }
        }
        return "\(path) is no readable PEM file of certificates"
    }
}
