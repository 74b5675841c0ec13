import EventLog

extension EventTypes {
    /// What `?type=a,b` asks for.
    init(_ parameter: String?) {
        self.init(parameter?.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) } ?? [])
    }

    func contain(_ event: Event) -> Bool { contain(event.type) }
}
