import { problemMessage } from "../http/problem.js"

/**
 * Does something that asks the hub, and says beside it what went wrong.
 *
 * @param {HTMLElement} place Busy meanwhile; what goes wrong is shown in `result`.
 * @param {HTMLElement} result
 * @param {() => Promise<void>} task
 * @returns {Promise<import("../http/problem.js").Problem | null>} The problem, null if all went well.
 */
export async function busily(place, result, task) {
  if (place.getAttribute("aria-busy") === "true") return null
  place.setAttribute("aria-busy", "true")
  try {
    await task()
    return null
  } catch (problem) {
    if (problem.name === "AbortError") return null
    if (problem.status === undefined) throw problem
    result.replaceChildren(problemMessage(problem))
    return problem
  } finally {
    place.removeAttribute("aria-busy")
  }
}
