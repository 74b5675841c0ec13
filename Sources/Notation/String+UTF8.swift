extension String {
    /// The text of these bytes; nil if they are not UTF-8. Most of what clients send is ASCII, which needs no check.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            self.init(validating: bytes, as: UTF8.self)
        }
    }
}
