import CCurl
import HTTPTransport
import Glibc

extension TransportLoop {
    /// Has libcurl read the authorities that it trusts, which takes 35 ms and which it would do at the first connection
    /// over TLS, while every other attempt waits. It keeps them for a day (CURLOPT_CA_CACHE_TIMEOUT(3)).
    ///
    /// It reads them as it begins to say hello, so it is connected with a socket of this process that never answers.
    mutating func readAuthorities() {
        guard options.proxy == nil, var socket = UnansweringSocket() else { return }
        // If it goes wrong, the first attempt takes longer.
        _ = greet(&socket)
    }

    /// Says hello to a socket; returns whether that has arrived, within a second.
    mutating func greet(_ socket: inout UnansweringSocket) -> Bool {
        guard let exchange = Exchange(nil, options: options, now: 0, timeOfDay: 0) else { return false }
        exchange.prepareGreeting(of: socket.name)
        guard multi.add(exchange) else { return false }
        defer { multi.remove(exchange) }
        for _ in 0..<100 {
            multi.perform()
            if socket.wasAddressed() { return true }
            // libcurl tells of each end once, and attempts that are under way end meanwhile, too.
            while let (finished, code) = multi.nextFinished() {
                if finished === exchange { return false }
                end(finished, code)
            }
            multi.wait(milliseconds: 10)
        }
        return false
    }
}

extension Exchange {
    /// Readies the handle to connect with a socket of this machine that has an abstract name (unix(7)).
    fileprivate func prepareGreeting(of name: String) {
        unsafe clarion_easy_set_string(handle, CURLOPT_URL, "https://localhost/")
        unsafe clarion_easy_set_string(handle, CURLOPT_ABSTRACT_UNIX_SOCKET, name)
        // The guard knows addresses of the Internet only.
        unsafe clarion_easy_set_open_socket_function(handle, nil)
    }
}
