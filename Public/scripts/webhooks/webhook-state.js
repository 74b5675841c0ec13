import { age, count, counted, moment } from "../page/format.js"

/** What the failure classes of the hub mean. */
const failures = {
  "dns-error": "its name leads nowhere",
  "connection-refused": "nobody listens at its address",
  "connection-reset": "it breaks the connection off",
  "timeout": "it does not answer in time",
  "tls-error": "no secure connection can be made",
  "egress-blocked": "its address is one that the hub does not dial",
  "response-too-large": "its answers are longer than 64 KiB",
  "status": "its answers are no success",
}

/** The hub makes fewer attempts after so many failures in a row. */
const failuresToBrake = 16

/**
 * How a webhook does, in words, and how serious that is: `good`, `quiet`, `waiting` or `bad`.
 *
 * @param {object} webhook As the hub shows it.
 * @param {object[]} deliveries Its newest, as far as they are known.
 * @returns {{name: string, tone: string, words: string}}
 */
export function stateOf(webhook, deliveries = []) {
  const { state, reason, warnings = [], stats = {}, failingSince } = webhook
  const warning = warnings.map(({ detail }) => detail).join(" ")
  const waiting = stats.pending > 0 ? `${counted(stats.pending, "event")} pending.` : ""
  if (reason === "unreadable") return { name: "Unreadable", tone: "bad", words: warning || "The hub cannot read what it stored of it." }
  if (state === "disabled") return { name: "Disabled", tone: "bad", words: disabling(webhook) }
  if (warnings.length > 0) {
    const isBlocked = warnings.some(({ code }) => code === "egress-blocked")
    return { name: isBlocked ? "Blocked" : "Warning", tone: "bad", words: `${warning} ${waiting}`.trim() }
  }
  if (state === "paused") return { name: "Paused", tone: "waiting", words: `By hand. ${waiting || "What is posted waits until it is enabled."}` }
  if (failingSince) return failing(webhook, deliveries, waiting)
  if (stats.pending > 0) return { name: "Delivering", tone: "good", words: waiting }
  if (stats.delivered > 0) return { name: "Delivering", tone: "good", words: "Everything is delivered." }
  return { name: "Ready", tone: "quiet", words: "Nothing was delivered yet." }
}

function failing({ failingSince, lastFailure, stats }, deliveries, waiting) {
  const status = lastFailure === "status" && stats.lastStatus ? `it answers ${stats.lastStatus}` : failures[lastFailure] ?? lastFailure
  const since = `Failing for ${age(failingSince)} (since ${moment(Date.parse(failingSince))}): ${status}.`
  const inARow = deliveries.filter(({ failure }) => failure).reduce((sum, { attempts }) => sum + attempts, 0)
  if (inARow < failuresToBrake || deliveries.some(({ state, attemptedAt }) => state === "delivered" && attemptedAt > failingSince)) {
    return { name: "Failing", tone: "bad", words: `${since} ${waiting}`.trim() }
  }
  const brake = `After ${count(inARow)} failures the hub has braked: it makes one attempt at a time until one arrives.`
  return { name: "Braked", tone: "bad", words: `${since} ${waiting} ${brake}`.replace("  ", " ") }
}

function disabling({ reason, stats = {} }) {
  const dead = stats.deadLetters > 0 ? ` ${counted(stats.deadLetters, "event")} can be recovered.` : ""
  const why = { gone: "Its endpoint answered 410: it wants nothing more.", failing: "It failed for days without one success." }
  return `${why[reason] ?? reason ?? ""} Nothing is delivered until it is enabled.${dead}`.trim()
}

/** What went wrong with one attempt, in words. */
export const failureWords = (failure) => failures[failure] ?? failure

/** What a webhook is called: what its owner calls it, or where it leads. */
export function nameOf({ description, url, id }) {
  if (description) return description
  return url ? url.replace(/^https?:\/\//, "") : id
}
