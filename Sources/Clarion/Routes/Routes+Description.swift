import MicroHTTP

extension Routes {
    /// `GET /openapi.json`, and `GET /docs`, the same for people. To be added last: what comes later is not in them.
    mutating func addDescription(_ hub: Hub, publicURL: PublicURL?) {
        let own = [
            DescribedRoute(method: .get, path: "/openapi.json", operation: .readDescription, need: .nothing),
            DescribedRoute(method: .get, path: "/docs", operation: .readManual, need: .nothing),
        ]
        let isOpen = hub.gate.credentials == nil
        let document = OpenAPIDocument(of: described + own, publicURL: publicURL, isOpen: isOpen).json
        let description = Response(.ok, json: document.bytes, headers: [("Cache-Control", "no-cache")])
        let manual = ManualPage(of: document, publicURL: publicURL).response
        // Large, and kept for each client that reads slowly.
        onAsync(own[0], hub) { _ in description }
        onAsync(own[1], hub) { _ in manual }
    }
}
