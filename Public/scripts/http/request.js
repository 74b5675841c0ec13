import { askAs } from "./asking.js"
import { bodyOf } from "./body.js"
import { credential } from "./credential.js"
import { Problem } from "./problem.js"

/**
 * Sends a request to the hub, with the credential that there is.
 *
 * @param {string} path Begins with a slash.
 * @param {RequestInit & {json?: unknown}} options `json` is sent as the body.
 * @returns {Promise<Response>} Its successful answer, or 304.
 * @throws {Problem} If it is refused or no answer comes.
 */
export async function request(path, { json, ...options } = {}) {
  const shown = credential.token
  const sent = json === undefined ? options : {
    ...options, headers: { "Content-Type": "application/json", ...options.headers }, body: JSON.stringify(json),
  }
  checkHeaders(sent.headers)
  let answer
  try {
    answer = await askAs(shown, path, sent)
  } catch (error) {
    if (error.name === "AbortError") throw error
    const isChange = !["GET", "HEAD"].includes(options.method ?? "GET")
    throw new Problem({
      title: "The hub did not answer",
      detail: isChange ? "Is it still running? It may have done what was asked." : "Is it still running?",
    })
  }
  const { problem } = answer
  // The proxy's own 401 would not be helped by a credential for the hub.
  if (problem?.status === 401 && problem.code) credential.refuse(problem, shown)
  if (problem) throw problem
  return answer.response
}

/** The JSON of a successful answer. */
export const requestJSON = async (path, options) => bodyOf(await request(path, options))

/** `fetch` throws the same for a header that cannot be sent as for a hub that does not answer. */
function checkHeaders(headers = {}) {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]])
    } catch {
      const detail = `${name} holds Latin letters and signs only.`
      throw new Problem({ title: "This cannot be sent", detail, parameter: name })
    }
  }
}
