/// One object registers and unregisters, beside others that stay.
struct RegistrationRow {
    static let name = "register + unregister"

    let race: Race

    func measure(others: Int) -> [Finding] {
        let contenders = allDesigns.map { type in
            let (design, observers) = type.populated(others) as (any Design, [Counter])
            let observer = Counter()
            return Contender(name: type.name) { times in
                withExtendedLifetime(observers) { design.registerAndUnregister(observer, times: times) }
            }
        }
        let timings = race(contenders)
        let center = timings.first { $0.name == FoundationCenter.name }
        return timings.map { Finding(Self.name, observers: others, $0, center: center) }
    }
}
