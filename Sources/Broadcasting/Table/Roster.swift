/// The entries of one key in order of registration: an ordered list of short ordered chunks.
///
/// A notification iterates over a copy of the list, which costs one retain, and so never sees a change made meanwhile. A
/// change made while copies live copies the list of chunks once per copy, and of the chunks only the one it touches: with
/// 15,000 entries some 250 references instead of 15,000. Without living copies it copies nothing.
///
/// Invariants: ids ascend within and across chunks; no chunk is empty or longer than `chunkCapacity`; two neighbours
/// together hold more than half of that, so there are at most `4 * count / chunkCapacity + 1` chunks.
struct Roster<Value: Sendable>: Sendable {
    struct Member: Sendable {
        let id: RegistrationID
        let entry: any Entry<Value>
    }

    /// About the square root of the greatest number of observers one key is expected to have, so that the list of
    /// chunks and a chunk cost about the same to copy.
    static var chunkCapacity: Int { 128 }

    private(set) var chunks: [[Member]] = []
    private(set) var count = 0
    /// Those of whom got `members`.
    private let readings: Readings

    init(readings: Readings) { self.readings = readings }

    var isEmpty: Bool { count == 0 }

    /// Who is in it now, to be read without the lock. The reader has to end its reading in `readings`.
    var members: Members { Members(chunks: chunks) }

    /// Adds a member at the end. Its id must be greater than all before.
    mutating func append(_ member: Member) {
        count += 1
        if let last = chunks.indices.last, chunks[last].count < Self.chunkCapacity {
            claim(last)
            chunks[last].append(member)
        } else {
            claimList()
            chunks.append([member])
        }
    }

    /// Takes a member out.
    ///
    /// - Returns: its entry, to be released when no lock is held.
    mutating func remove(_ id: RegistrationID) -> (any Entry<Value>)? {
        guard let (chunk, index) = find(id) else { return nil }
        count -= 1
        claim(chunk)
        let entry = chunks[chunk].remove(at: index).entry
        restoreDensity(around: chunk)
        return entry
    }

    subscript(id: RegistrationID) -> (any Entry<Value>)? {
        find(id).map { chunks[$0.chunk][$0.index].entry }
    }

    /// The first members whose ids are greater than one, in order.
    func members(after id: RegistrationID, atMost limit: Int) -> [Member] {
        var found: [Member] = []
        var chunk = chunks.partitioningIndex { $0[$0.count - 1].id > id }
        while chunk < chunks.count, found.count < limit {
            let start = chunks[chunk].partitioningIndex { $0.id > id }
            found += chunks[chunk][start...].prefix(limit - found.count)
            chunk += 1
        }
        return found
    }

    private func find(_ id: RegistrationID) -> (chunk: Int, index: Int)? {
        let chunk = chunks.partitioningIndex { $0[$0.count - 1].id >= id }
        guard chunk < chunks.count else { return nil }
        let index = chunks[chunk].partitioningIndex { $0.id >= id }
        return chunks[chunk][index].id == id ? (chunk, index) : nil
    }

    private mutating func restoreDensity(around chunk: Int) {
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
        } else if !mergeWithNext(chunk), chunk > 0 {
            _ = mergeWithNext(chunk - 1)
        }
    }

    private mutating func mergeWithNext(_ chunk: Int) -> Bool {
        let next = chunk + 1
        guard next < chunks.count, chunks[chunk].count + chunks[next].count <= Self.chunkCapacity / 2 else {
            return false
        }
        claim(chunk)
        let members = chunks.remove(at: next)
        chunks[chunk].append(contentsOf: members)
        return true
    }

    /// Makes this the only one to hold the list, by a copy if somebody reads it.
    private mutating func claimList() {
        unsafe chunks.withUnsafeMutableBufferPointer { _ in }
        readings.acquire()
    }

    /// The same for the list and a chunk.
    private mutating func claim(_ chunk: Int) {
        claimList()
        unsafe chunks[chunk].withUnsafeMutableBufferPointer { _ in }
        readings.acquire()
    }
}

extension Roster {
    /// The members of a roster at one moment.
    struct Members: Sendable {
        fileprivate let chunks: [[Member]]

        /// Runs `body` for each member in order of registration. Members are lent: nothing is retained but the list.
        func forEach(_ body: (borrowing Loan<Member>) -> Void) {
            for chunk in chunks {
                unsafe chunk.withUnsafeBufferPointer { members in
                    // A loan has the layout of its subject, and the chunk is held until the closure returns.
                    unsafe members.withMemoryRebound(to: Loan<Member>.self) { loans in
                        for index in loans.indices { unsafe body(loans[index]) }
                    }
                }
            }
        }

        /// Whether `predicate` holds for each. Visits them up to the first for which it does not.
        func allSatisfy(_ predicate: (Member) -> Bool) -> Bool {
            chunks.allSatisfy { $0.allSatisfy(predicate) }
        }
    }
}

extension Array {
    /// The first index whose element satisfies `predicate`, given that all after it do too; `count` if none does.
    fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
