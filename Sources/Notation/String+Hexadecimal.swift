extension String {
    /// The last hexadecimal digits of a number, in lower case and with the zeros before it: of 10 and 4 of them, `000a`.
    package init(hexadecimal number: UInt64, digits count: Int = 16) {
        // Each answer has one: made without what makes numbers of any size into text.
        self = unsafe String(unsafeUninitializedCapacity: count) { text in
            var rest = number << (64 - 4 * count)
            for place in 0..<count {
                unsafe text[place] = UInt8(hexDigitOf: UInt8(truncatingIfNeeded: rest &>> 60))
                rest &<<= 4
            }
            return count
        }
    }

    /// The two hexadecimal digits of each byte, in lower case.
    package init(hexadecimal bytes: [UInt8]) {
        self = unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (place, byte) in bytes.enumerated() {
                unsafe text[2 * place] = UInt8(hexDigitOf: byte >> 4)
                unsafe text[2 * place + 1] = UInt8(hexDigitOf: byte & 15)
            }
            return 2 * bytes.count
        }
    }
}
