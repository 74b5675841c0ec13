import { element } from "../page/element.js"
import { duration, moment } from "../page/format.js"
import { failureWords } from "./webhook-state.js"

/**
 * How one attempt went, and what the endpoint answered.
 *
 * @param {object} attempt As in an `attemptLog`.
 */
export function attemptView({ number, at, durationMs, connectedMs, securedMs, answeredMs, status, failure, message, response }) {
  const steps = [["connected", connectedMs], ["TLS", securedMs], ["answered", answeredMs], ["ended", durationMs]]
    .filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => `${name} after ${duration(value)}`)
  const outcome = failure === null || failure === undefined ? "delivered" : failureWords(failure)
  return element("div", { class: "attempt", "data-outcome": failure ? "failed" : "arrived" },
    element("p", { class: "attempt-head" },
      element("strong", {}, `Attempt ${number}`), ` ${moment(Date.parse(at))} `,
      status ? element("span", { class: "attempt-status" }, String(status)) : null, ` ${outcome}`),
    message && failure ? element("p", { class: "attempt-message" }, message) : null,
    element("p", { class: "attempt-steps" }, steps.join(", ")),
    response ? element("pre", { class: "attempt-response", tabindex: "0", "aria-label": "What the endpoint answered" }, response) : null)
}
