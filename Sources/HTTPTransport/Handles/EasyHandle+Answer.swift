import CCurl

/// What is known of a transfer that has ended.
extension EasyHandle {
    /// The status of the last head, or of one that was cut short; 0 if there was none.
    package var status: Int { number(CURLINFO_RESPONSE_CODE) }

    /// The status with which a proxy answered when it was asked for a tunnel; 0 if none was.
    package var tunnelStatus: Int { number(CURLINFO_HTTP_CONNECTCODE) }

    /// How many connections were made.
    package var connections: Int { number(CURLINFO_NUM_CONNECTS) }

    /// A moment of a transfer.
    package enum Stage {
        case resolved, connected, secured, sent, answered, ended
    }

    /// How long it took to a stage, in microseconds; nil if it was not reached. Of a connection that is used again libcurl
    /// tells times too.
    package func time(to stage: Stage) -> Int64? {
        let info =
            switch stage {
            case .resolved: CURLINFO_NAMELOOKUP_TIME_T
            case .connected: CURLINFO_CONNECT_TIME_T
            case .secured: CURLINFO_APPCONNECT_TIME_T
            case .sent: CURLINFO_PRETRANSFER_TIME_T
            case .answered: CURLINFO_STARTTRANSFER_TIME_T
            case .ended: CURLINFO_TOTAL_TIME_T
            }
        var microseconds: curl_off_t = 0
        unsafe clarion_easy_get_offset(pointer, info, &microseconds)
        return microseconds > 0 ? Int64(microseconds) : nil
    }

    /// The last field of that name in the final head.
    package func field(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>? = nil
        guard unsafe curl_easy_header(pointer, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let value = unsafe header?.pointee.value
        else { return nil }
        return unsafe String(cString: value)
    }

    private func number(_ info: CURLINFO) -> Int {
        var number = 0
        unsafe clarion_easy_get_long(pointer, info, &number)
        return number
    }
}
