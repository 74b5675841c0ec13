import MicroHTTP

extension DescribedRoute {
    /// The answers that are problems, by status: those that come with what the route is, and the operation's own.
    var problems: [OrderedJSON.Member] {
        let codes = errors
        let pairs = DocumentedError.all.flatMap { error in
            codes.filter { $0.code == error.code }.map { (status: $0.status ?? error.status, error: error) }
        }
        return Set(pairs.map(\.status)).sorted().map { status in
            let errors = pairs.filter { $0.status == status }.map(\.error)
            let isUsual = errors.count == 1 && errors[0].status == status
            return .init(
                name: "\(status)",
                value: isUsual
                    ? ["$ref": "#/components/responses/\(errors[0].code)"] : .problem(status, errors)
            )
        }
    }

    /// The codes of all problems that it may be answered with.
    ///
    /// - Precondition: each is documented.
    private var errors: Set<Operation.ErrorCode> {
        var errors = Set(Self.always + operation.errors + operation.parameters.flatMap(\.errors))
        errors.formUnion(operation.body?.errors ?? [])
        if need.check != nil { errors.formUnion(Self.ofCredentials) }
        if !method.isSafe { errors.formUnion(Self.ofChanges) }
        let documented = Set(DocumentedError.all.map(\.code))
        precondition(
            errors.allSatisfy { documented.contains($0.code) },
            "\(operation.id) has an error that is not documented."
        )
        return errors
    }

    /// What any request may be answered with.
    private static let always: [Operation.ErrorCode] = [
        "target-invalid", "request-malformed", "framing-invalid", "host-invalid", "parameter-unknown", "host-unknown",
        "body-too-large", "target-too-long", "headers-too-large", "internal", "draining", "overloaded",
        "version-unsupported",
    ]

    /// What comes of looking at who asks.
    private static let ofCredentials: [Operation.ErrorCode] = [
        "credential-ambiguous", "credential-required", "credential-invalid", "right-missing", "origin-refused",
        "rate-limited",
    ]

    /// What comes of changing something.
    private static let ofChanges: [Operation.ErrorCode] = [
        "origin-refused", "rate-limited", "loop-detected", "log-unavailable",
    ]
}

extension OrderedJSON {
    /// An answer with one of these problems.
    static func problem(_ status: Int, _ errors: [DocumentedError]) -> OrderedJSON {
        let codes = errors.map { OrderedJSON.string($0.code) }
        return [
            "description": .string(
                errors.count == 1 ? errors[0].plainAdvice : errors.map { "`\($0.code)`" }.joined(separator: ", ")
            ),
            "headers": .headers(Operation.Header.ofProblems(of: errors)),
            "content": [
                "application/problem+json": [
                    "schema": [
                        "allOf": [.schema(.problem)],
                        "properties": ["status": ["const": .integer(status)], "code": ["enum": .array(codes)]],
                    ],
                    "examples": .object(
                        errors.map { error in
                            .init(
                                name: error.code,
                                value: error.status == status
                                    ? ["$ref": "#/components/examples/\(error.code)"] : error.example(status)
                            )
                        }
                    ),
                ]
            ],
        ]
    }
}

extension Operation.Header {
    /// The fields that some problems have.
    static let ofProblems = [
        cacheControl, authenticate, allow, acceptEncoding, acceptPatch, retryAfter, rateLimit, rateLimitPolicy,
    ]

    /// The fields of answers with one of these problems.
    fileprivate static func ofProblems(of errors: [DocumentedError]) -> [Operation.Header] {
        let codes = Set(errors.map(\.code))
        var headers = [cacheControl]
        if !codes.isDisjoint(with: ["credential-required", "credential-invalid", "right-missing"]) {
            headers.append(authenticate)
        }
        if codes.contains("method-not-allowed") { headers.append(allow) }
        if codes.contains("media-type-unsupported") { headers += [acceptEncoding, acceptPatch] }
        if errors.contains(where: { [429, 503].contains($0.status) }) { headers.append(retryAfter) }
        if codes.contains("rate-limited") { headers += [rateLimit, rateLimitPolicy] }
        return headers
    }
}

extension DocumentedError {
    /// A problem document with the code.
    func example(_ status: Int) -> OrderedJSON {
        [
            "summary": .string(code),
            "value": [
                "type": "/errors#\(code)", "title": .string(Status(status).reason), "status": .integer(status),
                "code": .string(code), "detail": .string(plainAdvice),
                "instance": "urn:clarion:request:01jd7m3x8q-17",
            ],
        ]
    }
}
