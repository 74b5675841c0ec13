import { readClock } from "./hub-clock.js"
import { hubURL } from "./hub.js"
import { Problem } from "./problem.js"

/**
 * Asks the hub for something with a given credential. It knows nothing of the page, so a worker can use it too.
 *
 * @param {string | null} token The credential; null to show none.
 * @param {string} path Begins with a slash.
 * @returns {Promise<{response: Response, problem: Problem | null}>} The answer; the problem if it is neither a success nor a 304.
 */
export async function askAs(token, path, options = {}) {
  const shown = token === null ? {} : { Authorization: `Bearer ${token}` }
  const askedAt = Date.now()
  // Beside a cookie, which any page of this host can have set, the hub would not know which of them to take.
  const credentials = token === null ? "same-origin" : "omit"
  const headers = { ...options.headers, ...shown }
  const response = await fetch(hubURL(path), { cache: "no-store", credentials, ...options, headers })
  readClock(response, askedAt)
  const isWell = response.ok || response.status === 304
  return { response, problem: isWell ? null : await Problem.of(response) }
}
