/// A body that is made once and sent to many. They share its one copy: a client that does not read it keeps no memory
/// of its own.
@safe
public final class ConstantBody: Sendable {
    /// Written before anybody else can see it, and never again.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// A body with these bytes.
    public init(_ contents: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 1)
        unsafe copy.copyBytes(from: contents)
        unsafe bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
        unsafe bytes.deallocate()
    }
}
