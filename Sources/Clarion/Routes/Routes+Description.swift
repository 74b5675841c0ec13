import MicroHTTP

extension Routes {
    /// `GET /openapi.json`, and `GET /docs`, the same for people. To be added last: what comes later is not in them.
    mutating func addDescription(publicURL: PublicURL?) {
        let own = [
            DescribedRoute(method: .get, path: "/openapi.json", operation: .readDescription, need: .nothing),
            DescribedRoute(method: .get, path: "/docs", operation: .readManual, need: .nothing),
        ]
        let isOpen = gate.credentials == nil
        let document = OpenAPIDocument(of: described + own, publicURL: publicURL, isOpen: isOpen).json
        // Large, for everybody, and never another: one copy is enough, however slowly each client reads.
        let description = Response(.ok, json: document.bytes, headers: [("Cache-Control", "no-cache")]).withConstantBody
        let manual = ManualPage(of: document, publicURL: publicURL).response.withConstantBody
        on(own[0]) { _ in .now(description) }
        on(own[1]) { _ in .now(manual) }
    }
}
