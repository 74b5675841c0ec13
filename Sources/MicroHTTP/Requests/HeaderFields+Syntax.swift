import Notation

/// What a request's head must be before it is looked at further. Whoever refuses one of these closes the connection:
/// where the next request begins is not known.
extension HeaderFields {
    /// Why the head is not taken, if it is not.
    ///
    /// - Parameter isHTTP11: the version of the request.
    func problem(isHTTP11: Bool) -> Problem? {
        syntaxProblem ?? marksProblem ?? framingProblem(isHTTP11: isHTTP11) ?? hostProblem(isHTTP11: isHTTP11)
            ?? typeProblem
    }

    /// Names are tokens, and values have neither NUL nor parts of a line break (RFC 9110 sections 5.1 and 5.5). Other control
    /// characters are let pass there: whoever keeps a value says what it may be.
    private var syntaxProblem: Problem? {
        let isValid = allSatisfy { name, value in
            !name.isEmpty && name.allSatisfy(\.isTokenCharacter)
                && value.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
        }
        return isValid
            ? nil : .malformed("A header field's name is no token, or its value has a NUL or a bare carriage return.")
    }

    /// Swift compares strings by their normal form, which takes long with many marks in a row: see `isStreamSafe`.
    var marksProblem: Problem? {
        lacksValue ? .malformed("A header field's value \(String.marksPredicate).") : nil
    }

    /// Why the body's length is ambiguous, if it is. Libmicrohttpd takes the first field it finds; a proxy in front
    /// that takes another would see a different next request (RFC 9112 sections 6.1 and 6.3: request smuggling).
    private func framingProblem(isHTTP11: Bool) -> Problem? {
        guard contains("Transfer-Encoding") else {
            guard count(of: "Content-Length") > 1, Set(values(of: "Content-Length")).count > 1 else { return nil }
            return .framing("The Content-Length fields differ.", "Content-Length")
        }
        let codings = values(of: "Transfer-Encoding")
        guard isHTTP11 else {
            return .framing("HTTP/1.0 has no transfer codings.", "Transfer-Encoding")
        }
        guard codings.count == 1, codings[0].utf8.isEqual(to: "chunked"), !contains("Content-Length") else {
            return .framing(
                "The only transfer coding taken is chunked, and not together with Content-Length.",
                "Transfer-Encoding"
            )
        }
        return nil
    }

    /// A request of HTTP/1.1 has one `Host`, and that is a host with or without a port (RFC 9112 section 3.2).
    private func hostProblem(isHTTP11: Bool) -> Problem? {
        let count = count(of: "Host")
        if count == 0, !isHTTP11 { return nil }
        if count == 1, let host = bytes(of: "Host"), Authority.isValid(host) { return nil }
        return Problem(
            .badRequest,
            code: "host-invalid",
            detail: count == 0
                ? "A request of HTTP/1.1 has a Host field."
                : "There is one Host field, and it is a name or an address, with or without a port.",
            parameter: "Host"
        )
    }

    /// Of two fields one reader takes the first for what the body is, and another the last (RFC 9110 section 5.3).
    private var typeProblem: Problem? {
        count(of: "Content-Type") > 1 ? .malformed("There is more than one Content-Type field.") : nil
    }
}

extension Problem {
    /// A head that cannot be read, or can be read in more than one way.
    static func malformed(_ detail: String) -> Problem {
        Problem(.badRequest, code: "request-malformed", detail: detail)
    }

    /// A body whose end cannot be told for certain.
    static func framing(_ detail: String, _ parameter: String) -> Problem {
        Problem(.badRequest, code: "framing-invalid", detail: detail, parameter: parameter)
    }
}

extension HeaderFields {
    /// Whether the client takes no other response on the connection (RFC 9112 section 9.6).
    var asksToClose: Bool {
        values(of: "Connection").contains { field in
            field.utf8.split { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }
                .contains { $0.isEqual(to: "close") }
        }
    }
}
