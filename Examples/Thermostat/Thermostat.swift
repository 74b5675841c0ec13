import Broadcasting

/// Shows degrees. The variable calls it as long as it lives.
final class Display: Sendable {
    func show(_ degrees: Int) { print("display: \(degrees)") }
}

/// `ObservableValue`: a variable that tells when it is set.
@main struct Thermostat {
    static func main() async {
        let temperature = ObservableValue(18)
        var display: Display? = Display()

        // `initial` shows what it is now, `distinct` is silent when a setting changes nothing.
        if let display {
            temperature.observe(display, initial: true, distinct: true) { display, degrees in display.show(degrees) }
        }
        temperature.value = 21
        temperature.value = 21

        // An observer may set what it observes: everybody hears 40 first, then 30.
        temperature.observe(forKey: "limit") { [unowned temperature] degrees in
            if degrees > 30 { temperature.value = 30 }
        }
        temperature.value = 40

        // Released, and with it its registration.
        display = nil
        temperature.value = 19
        print("the display is gone")

        // Heard as long as somebody holds the token.
        do {
            let token = temperature.observe { degrees in print("token: \(degrees)") }
            withExtendedLifetime(token) { temperature.withValue { $0 += 1 } }
        }
        temperature.withValue { $0 += 1 }
        print("now: \(temperature.value)")

        // A sequence ends with its variable.
        for await degrees in morning() { print("morning: \(degrees)") }
    }

    /// What a variable became that goes with this function.
    private static func morning() -> AsyncStream<Int> {
        let temperature = ObservableValue(16)
        defer { temperature.value = 20 }
        return temperature.values(initial: true)
    }
}
