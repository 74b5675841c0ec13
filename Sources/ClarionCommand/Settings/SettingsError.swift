import Clarion
import Glibc
import Spelling
import Webhooks

/// A setting that cannot be used, in one line.
struct SettingsError: Error {
    let message: String

    /// What the program exits with: who starts programs does not try again after `EX_USAGE`, since a setting that is bad
    /// stays so.
    let status: Int32

    init(_ message: String, status: Int32 = EX_USAGE) {
        (self.message, self.status) = (message, status)
    }

    /// What is wrong with the value of a setting.
    init(_ setting: Setting, _ reason: String, status: Int32 = EX_USAGE) {
        // There is no option for the key itself: others would see it in the list of processes.
        let name = setting == .masterKey ? "CLARION_MASTER_KEY" : "--\(setting.rawValue)"
        self.init("\(name): \(reason)", status: status)
    }

    /// There is no setting of that name.
    init(unknown name: String, in place: String, known: [String]) {
        let advice = Spelling.nearest(to: name, among: known).map { "Did you mean \($0)?" }
        self.init("\(name): there is no such setting, \(place). \(advice ?? "\"clarion serve --help\" lists them.")")
    }
}

/// An error that says in a sentence what is wrong with a text.
protocol ExplainedError: Error {
    var message: String { get }
}

extension HubError: ExplainedError {}
extension WebhookError: ExplainedError {}
extension ClusterAddress.Fault: ExplainedError {}
