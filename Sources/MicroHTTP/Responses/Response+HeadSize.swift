/// What of a connection's memory a response takes, where libmicrohttpd writes its head.
extension Response {
    /// The bytes of its head at most: its own fields, and those that every response has.
    var headSize: Int { 320 + fieldsSize }

    var fieldsSize: Int { headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }
}
