import CCurl

/// A date in one of the three formats of RFC 9110 section 5.6.7, among others that libcurl knows (curl_getdate(3)).
package enum HTTPDate {
    /// The seconds since 1970; negative if the text is no date. Years may have up to ten digits.
    package static func seconds(_ text: String) -> Int64 { Int64(unsafe curl_getdate(text, nil)) }
}
