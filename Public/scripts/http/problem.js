import { credential } from "./credential.js"
import { hubURL } from "./hub.js"

/**
 * What went wrong with a request: the hub's `application/problem+json` (RFC 9457), or a stand-in for it where the
 * answer came from elsewhere or none came.
 */
export class Problem extends Error {
  constructor({ title, detail = "", status = 0, code = "", pointer = null, parameter = null, retryAfter = null }) {
    super(detail ? `${title}: ${detail}` : title)
    this.title = title
    this.detail = detail
    this.status = status
    this.code = code
    /** JSON Pointer to the offending member of the request, if one is to blame. */
    this.pointer = pointer
    /** Name of the offending parameter, if one is to blame. */
    this.parameter = parameter
    /** Milliseconds after which the hub asks to be tried again. */
    this.retryAfter = retryAfter
  }

  /** Reads the problem out of an unsuccessful response. */
  static async of(response) {
    const retryAfter = Number(response.headers.get("Retry-After")) * 1_000 || null
    const fallback = { title: `The answer was ${response.status}`, status: response.status, retryAfter }
    if (!/json/i.test(response.headers.get("Content-Type") ?? "")) return new Problem(fallback)
    const members = await response.json().catch(() => ({}))
    return new Problem({ ...fallback, ...members, retryAfter })
  }
}

/**
 * Asks the hub for something, with the credential that there is.
 *
 * @param {string} path Begins with a slash.
 * @returns {Promise<{response: Response, problem: Problem | null}>} The answer; the problem if it is not a success.
 */
export async function ask(path, options = {}) {
  const shown = credential.token
  const headers = { ...options.headers, ...credential.headers }
  const response = await fetch(hubURL(path), { cache: "no-store", ...options, headers })
  const problem = response.ok ? null : await Problem.of(response)
  // The proxy's own 401 would not be helped by a credential for the hub.
  if (problem?.status === 401 && problem.code) credential.refuse(problem, shown)
  return { response, problem }
}

/**
 * Sends a request to the hub.
 *
 * @returns {Promise<Response>} Its successful answer.
 * @throws {Problem} If it is refused or no answer comes.
 */
export async function request(path, options = {}) {
  let answer
  try {
    answer = await ask(path, options)
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new Problem({ title: "The hub did not answer", detail: "Is it still running? Nothing was changed here." })
  }
  if (answer.problem) throw answer.problem
  return answer.response
}

/** The problem as a message for the page. */
export function problemMessage(problem) {
  const message = document.createElement("p")
  message.className = "message message-problem"
  const title = document.createElement("strong")
  title.textContent = problem.title ?? "Something went wrong"
  message.append(title)
  if (problem.detail) message.append(" ", problem.detail)
  if (problem.code) {
    const code = document.createElement("code")
    code.textContent = problem.code
    message.append(" ", code)
  }
  return message
}
