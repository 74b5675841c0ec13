import Notation

/// The secrets of one webhook: the one that signs, and for a while the one before it, which signs too.
///
/// ```swift
/// let secrets = SigningSecrets(old).rotated(to: new, at: now)     // both sign; a day later, only the new one
/// ```
package struct SigningSecrets: Sendable, Hashable {
    /// A secret that another has taken the place of.
    package struct Retiring: Sendable, Hashable {
        package let secret: SigningSecret
        /// When it signs no more, by ``DeliveryStore/now``.
        package let until: Int64

        package init(_ secret: SigningSecret, until: Int64) { (self.secret, self.until) = (secret, until) }
    }

    /// How long a secret goes on signing after it was replaced: a day, for receivers to be given the new one.
    package static let overlap: Duration = .seconds(24 * 3600)

    /// The secret that signs for good.
    package let current: SigningSecret

    /// The one before it, if there was one; it may have ended.
    package let previous: Retiring?

    /// Secrets as they were stored, or a webhook's first one.
    package init(_ current: SigningSecret, previous: Retiring? = nil) {
        (self.current, self.previous) = (current, previous)
    }

    /// Those that sign an attempt which is made then, by the store's time; newest first.
    func valid(at now: Int64) -> [SigningSecret] {
        guard let previous, now < previous.until else { return [current] }
        return [current, previous.secret]
    }

    /// These with a new one in front. The one that it replaces signs for ``overlap``; one before that, no longer: two
    /// sign at most. The present secret again changes nothing.
    package func rotated(to secret: SigningSecret, at now: Int64) -> SigningSecrets {
        if secret == current { return self }
        return SigningSecrets(secret, previous: Retiring(current, until: now.addingClamped(Self.overlap.milliseconds)))
    }
}
