import Foundation
import Testing

@testable import Broadcasting

/// An observer is registered as a type of the caller's choice, which need not be that of the object. Whatever lies in memory for
/// it, the object itself is called, or the program stops in a defined way.
///
/// A test for each representation that a value of static type `Subject` and dynamic type of a class can have (Swift's
/// `docs/ABI/TypeMetadata.rst`, "Existential Type Metadata").
@Suite struct SubjectRepresentationTests {
    private let object = Child("object")

    // MARK: What is called

    @Test func `an existential with room for a value`() async { await expectCalls(object as any Named) { $0.name } }

    @Test func `a composition of two protocols`() async {
        await expectCalls(object as any Named & Twice) { $0.name + ($0.twice ? "" : "!") }
    }

    @Test func `a composition that a marker is part of`() async {
        await expectCalls(object as any Named & Sendable & Copyable) { $0.name }
    }

    @Test func `an existential without requirements`() async {
        await expectCalls(object as any Sendable) { ($0 as? any Named)?.name ?? "none" }
    }

    @Test func `an error, which is in a box`() async { await expectCalls(object as any Error) { name(of: $0) } }

    @Test func `an error in a composition with a marker`() async {
        await expectCalls(object as any Error & Sendable) { name(of: $0) }
    }

    @Test func `an error in a composition with another protocol`() async {
        await expectCalls(object as any Error & Named) { $0.name }
    }

    @Test func `a protocol that refines Error`() async { await expectCalls(object as any Failing) { $0.failure } }

    @Test func `a protocol for classes`() async { await expectCalls(object as any Bound) { $0.bound } }

    @Test func `a composition for classes`() async { await expectCalls(object as any Named & AnyObject) { $0.name } }

    @Test func `any object`() async {
        await expectCalls(object as any Sendable & AnyObject) { ($0 as? any Named)?.name ?? "none" }
    }

    @Test func `a composition with a superclass`() async {
        await expectCalls(object as any Parent & Twice) { $0.name + ($0.twice ? "" : "!") }
    }

    @Test func `a superclass`() async { await expectCalls(object as Parent) { $0.name } }

    @Test func `the class itself`() async { await expectCalls(object) { $0.only() } }

    @Test func `a parameterised existential`() async { await expectCalls(object as any Holding<String>) { $0.held } }

    @Test func `a parameterised existential for classes`() async {
        await expectCalls(object as any BoundHolding<String>) { $0.held }
    }

    @Test func `a protocol with a requirement that mentions Self`() async {
        await expectCalls(object as any Comparing) { comparing in
            func compare(_ subject: some Comparing) -> String { subject.isSame(as: subject) ? subject.name : "other" }
            return compare(comparing)
        }
    }

    @Test func `an object of a generic class`() async {
        await expectCalls(Wrapper("object", payload: (1, "two")) as any Named) { $0.name }
        await expectCalls(Wrapper("object", payload: [1])) { $0.name }
        await expectCalls(Wrapper<any Named>("object", payload: object) as any Named) { $0.name }
    }

    @Test func `an object whose conformance hangs on a condition`() async {
        await expectCalls(Wrapper("object", payload: 1) as any Twice & Named) { $0.twice ? $0.name : "" }
        await expectCalls(Wrapper<any Error>("object", payload: object) as any Error) { name(of: $0) }
    }

    @Test func `an actor`() async {
        let actor = Office()
        await expectCalls(actor) { $0.name }
        await expectCalls(actor as any Actor) { ($0 as? any Named)?.name ?? "none" }
        await expectCalls(actor as any Actor & Named) { $0.name }
        await expectCalls(actor as any Named) { $0.name }
    }

    @Test func `an object as what it is known as in a generic function`() async {
        func register<Subject: Named>(_ subject: Subject) async { await expectCalls(subject) { $0.name } }
        await register(object)
        await register(object as Parent)
    }

    /// Registers the object, and another one as the same type beside it, with both designs that take a subject.
    private func expectCalls<Subject: Sendable>(
        _ subject: Subject,
        sourceLocation: SourceLocation = #_sourceLocation,
        says name: @escaping @Sendable (Subject) -> String
    ) async {
        let heard = Recorder<String>()
        let identities = Recorder<ObjectIdentifier>()
        let hear: @Sendable (Subject) -> Void = { subject in
            heard.hear(name(subject))
            identities.hear(identity(of: subject))
        }
        let broadcaster = Broadcaster()
        broadcaster.register(Subject.self, observer: subject, deliver: .immediate)
        // If the bits led to a box of the registration's own, the memory would be another's by now.
        let others = (0..<64).map { Child("other \($0)") as any Error }
        for _ in 0..<3 { broadcaster.notify(Subject.self, hear) }
        broadcaster.register(Subject.self, observer: subject, deliver: .background)
        broadcaster.notify(Subject.self, hear)
        await eventually("it hears in the background", sourceLocation: sourceLocation) { heard.values.count == 4 }
        #expect(broadcaster.count(of: Subject.self) == 1, sourceLocation: sourceLocation)
        broadcaster.unregister(Subject.self, observer: subject)
        broadcaster.notify(Subject.self, hear)
        #expect(broadcaster.count(of: Subject.self) == 0, sourceLocation: sourceLocation)

        let delegates = MulticastDelegate<Subject>()
        delegates.add(subject, deliver: .immediate)
        delegates.invoke(hear)
        await delegates.invoke { (delegate: Subject) async in
            await Task.yield()
            hear(delegate)
        }
        delegates.remove(subject)
        delegates.invoke(hear)

        #expect(heard.values == Array(repeating: "object", count: 6), sourceLocation: sourceLocation)
        let expected = identity(of: subject)
        #expect(identities.values.allSatisfy { $0 == expected }, sourceLocation: sourceLocation)
        withExtendedLifetime((subject, others)) {}
    }

    // MARK: Metatypes

    @Test func `a metatype that holds a subclass stands for its static type`() {
        let broadcaster = Broadcaster()
        let type: Parent.Type = Child.self
        let base = Parent("base")
        let derived = Child("derived")
        let heard = Recorder<String>()
        broadcaster.register(type, observer: base, deliver: .immediate)
        broadcaster.register(Child.self, observer: derived, deliver: .immediate)

        broadcaster.notify(Child.self) { heard.hear("Child " + $0.only()) }
        broadcaster.notify(type) { heard.hear("Parent " + $0.name) }
        broadcaster.notify(Parent.self) { heard.hear("Parent " + $0.name) }
        #expect(heard.values == ["Child derived", "Parent base", "Parent base"])

        #expect(broadcaster.count(of: type) == 1)
        broadcaster.unregister(type, observer: base)
        #expect(broadcaster.count(of: Parent.self) == 0)
        broadcaster.unregister(type)
        #expect(broadcaster.count(of: Child.self) == 1)
        withExtendedLifetime((base, derived)) {}
    }

    @Test func `an opened metatype stands for what it holds`() {
        let broadcaster = Broadcaster()
        broadcaster.register(Child.self, observer: object, deliver: .immediate)
        let type: any Named.Type = Child.self
        #expect(broadcaster.count(of: type) == 1)
        broadcaster.unregister(type)
        #expect(broadcaster.count(of: Child.self) == 0)
        withExtendedLifetime(object) {}
    }

    // MARK: What is refused

    enum NoObject: String, CaseIterable, Codable {
        case structure, largeStructure, structureAround, enumeration, error, structureAsError
        case some, none, someExistential, tuple, function, metatype, existentialMetatype, number, string
        /// Objects, but Swift's runtime reads their types otherwise than the compiler lays them out.
        case errorForClasses, errorWithSuperclass

        func register(in broadcaster: Broadcaster) {
            let object = Child("object")
            switch self {
            case .structure: broadcaster.register((any Named).self, observer: Value(name: "value"))
            case .largeStructure: broadcaster.register((any Named).self, observer: Large())
            case .structureAround: broadcaster.register((any Named).self, observer: Around(object: object))
            case .enumeration: broadcaster.register((any Twice).self, observer: Case.one)
            case .error: broadcaster.register((any Error).self, observer: Failure())
            case .structureAsError: broadcaster.register((any Named & Error).self, observer: Failure())
            case .some: broadcaster.register(Child?.self, observer: object)
            case .none: broadcaster.register(Child?.self, observer: nil)
            case .someExistential: broadcaster.register((any Named)?.self, observer: object)
            case .tuple: broadcaster.register((Child, Int).self, observer: (object, 1))
            case .function: broadcaster.register((@Sendable () -> Void).self, observer: { _ = object })
            case .metatype: broadcaster.register(Parent.Type.self, observer: Child.self)
            case .existentialMetatype: broadcaster.register((any Named.Type).self, observer: Child.self)
            case .number: broadcaster.register((any Sendable).self, observer: 1)
            case .errorForClasses: broadcaster.register((any Error & AnyObject).self, observer: object)
            case .errorWithSuperclass: broadcaster.register((any Parent & Error).self, observer: object)
            case .string: broadcaster.register((any Sendable).self, observer: "string")
            }
        }
    }

    /// By a trap and not by what happens to be in memory: a stray access would be another signal.
    @Test(arguments: NoObject.allCases)
    func `what cannot be called is refused by a trap`(observer: NoObject) async {
        #if arch(x86_64)
            let trap = ExitTest.Condition.signal(SIGILL)
        #else
            let trap = ExitTest.Condition.signal(SIGTRAP)
        #endif
        await #expect(processExitsWith: trap) { [observer = observer as NoObject] in
            observer.register(in: Broadcaster())
        }
    }
}

/// Not by `as AnyObject`, which wraps an error.
private func identity<Subject>(of subject: Subject) -> ObjectIdentifier {
    ObjectIdentifier(subject as! any AnyObject & Sendable)
}

private func name(of error: any Error) -> String { (error as? any Named)?.name ?? "none" }

private protocol Named: Sendable {
    var name: String { get }
}

private protocol Twice: Sendable {
    var twice: Bool { get }
}

private protocol Bound: AnyObject, Sendable {
    var bound: String { get }
}

private protocol Holding<Held>: Sendable {
    associatedtype Held
    var held: Held { get }
}

private protocol BoundHolding<Held>: AnyObject, Sendable {
    associatedtype Held
    var held: Held { get }
}

private protocol Comparing: Named {
    func isSame(as other: Self) -> Bool
}

private protocol Failing: Error {
    var failure: String { get }
}

private class Parent: @unchecked Sendable {
    // Unchecked: immutable, but not final.
    let name: String
    init(_ name: String) { self.name = name }
}

private final class Child: Parent, @unchecked Sendable {
    func only() -> String { name }
}

extension Parent: Named, Twice, Bound, Failing {
    var twice: Bool { true }
    var bound: String { name }
    var failure: String { name }
}

extension Child: Holding, BoundHolding, Comparing {
    var held: String { name }
    func isSame(as other: Child) -> Bool { self === other }
}

private final class Wrapper<Payload: Sendable>: Named {
    let name: String
    let payload: Payload
    init(_ name: String, payload: Payload) {
        self.name = name
        self.payload = payload
    }
}

extension Wrapper: Twice where Payload: BinaryInteger {
    var twice: Bool { true }
}

extension Wrapper: Error {}

private actor Office: Named {
    nonisolated var name: String { "object" }
}

private struct Value: Named {
    let name: String
}

private struct Large: Named {
    let name = "large"
    let content = (1, 2, 3, 4, 5)
}

private struct Around: Named {
    let object: Child
    var name: String { object.name }
}

private enum Case: Twice {
    case one
    var twice: Bool { true }
}

private struct Failure: Named, Error {
    let name = "failure"
}
