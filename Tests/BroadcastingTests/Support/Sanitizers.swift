import Foundation

/// Under a sanitizer nothing can be said about memory: its allocator keeps for a while what is released.
let sanitizerKeepsMemory = isLinked("__tsan_init") || addressSanitizerKeepsAddresses

/// The Address Sanitizer gives no address out again until much else was released.
let addressSanitizerKeepsAddresses = isLinked("__asan_init")

private func isLinked(_ symbol: String) -> Bool { unsafe dlsym(nil, symbol) != nil }
