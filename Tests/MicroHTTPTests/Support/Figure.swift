import Foundation
import Testing

/// Judges a time that depends on the machine, and on what else that does: beyond the bound it is told, and a failure only
/// where figures are enforced (`make measure`). Behaviour is tested apart from it.
func expectFigure(
    _ what: String,
    _ value: Duration,
    atMost bound: Duration,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if ProcessInfo.processInfo.environment["CLARION_LOAD"] == "full" {
        #expect(value <= bound, "\(what)", sourceLocation: sourceLocation)
    } else if value > bound {
        print("BEYOND ITS BOUND: \(what) took \(value), more than \(bound)")
    }
}
