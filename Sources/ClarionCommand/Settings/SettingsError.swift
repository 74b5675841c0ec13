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
    ///
    /// - Parameters:
    ///   - prefix: what it begins with, as all do that are known. By what follows, typos are told from other names.
    ///   - known: the names without it.
    init(unknown name: String, in place: String, prefix: String = "", known: [String]) {
        let nearest = Spelling.nearest(to: String(name.dropFirst(prefix.count)), among: known)
        let advice = nearest.map { "Did you mean \(prefix)\($0)?" }
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
