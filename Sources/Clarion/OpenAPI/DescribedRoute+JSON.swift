import MicroHTTP

extension DescribedRoute {
    /// The operation as OpenAPI has it.
    func json(isOpen: Bool) -> OrderedJSON {
        .present([
            "operationId": .string(operation.id),
            "tags": [.string(operation.section.rawValue)],
            "summary": .string(operation.summary),
            "description": .string([operation.details, need.summary].compactMap(\.self).joined(separator: "\n\n")),
            "parameters": operation.parameters.isEmpty ? nil : .array(operation.parameters.map(\.json)),
            "requestBody": operation.body?.json,
            "responses": .object(operation.answers.map(\.member) + problems),
            "security": Credential.requirement(for: need, isOpen: isOpen),
            "x-clarion-need": .string(need.name),
        ])
    }
}

extension Operation.Parameter {
    var reference: OrderedJSON { ["$ref": "#/components/parameters/\(name)"] }

    var json: OrderedJSON {
        .present([
            "name": .string(name),
            "in": .string(place.rawValue),
            "required": isRequired ? true : nil,
            "description": .string(description),
            "style": isRepeatable ? "form" : nil,
            "explode": isRepeatable ? true : nil,
            "schema": schema,
            "example": example,
        ])
    }
}

extension Operation.Body {
    fileprivate var json: OrderedJSON {
        [
            "description": .string(description),
            "required": .bool(isRequired),
            "content": .object(contents.map(\.member)),
        ]
    }
}

extension Operation.Answer {
    fileprivate var member: OrderedJSON.Member {
        .init(
            name: "\(status.code)",
            value: .present([
                "description": .string(description),
                "headers": .headers(headers),
                "content": contents.isEmpty ? nil : .object(contents.map(\.member)),
            ])
        )
    }
}

extension Operation.Content {
    fileprivate var member: OrderedJSON.Member {
        let named = examples.map { name, value in OrderedJSON.Member(name: name, value: ["value": value]) }
        return .init(
            name: type,
            value: .present(["schema": schema, "examples": named.isEmpty ? nil : .object(named)])
        )
    }
}

extension Operation.Header {
    var json: OrderedJSON {
        [
            "description": .string(description),
            "required": .bool(Self.common.contains(self)),
            "schema": schema,
            "example": example,
        ]
    }
}

extension OrderedJSON {
    /// The header fields of an answer, those of every answer among them.
    static func headers(_ headers: [Operation.Header]) -> OrderedJSON {
        .object((Operation.Header.common + headers).map { Member(name: $0.name, value: $0.reference) })
    }
}
