import { element } from "../page/element.js"

/**
 * What went wrong with a request: the hub's `application/problem+json` (RFC 9457), or a stand-in for it where the
 * answer came from elsewhere or none came.
 */
export class Problem extends Error {
  constructor({ title, detail = "", status = 0, code = "", pointer = null, parameter = null, topic = null, retryAfter = null }) {
    super(detail ? `${title}: ${detail}` : title)
    this.title = title
    this.detail = detail
    this.status = status
    this.code = code
    /** JSON Pointer to the offending member of the request, if one is to blame. */
    this.pointer = pointer
    /** Name of the offending parameter, if one is to blame. */
    this.parameter = parameter
    /** The topic or pattern for which a right is missing, if it is that. */
    this.topic = topic
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

  /** Its members in a plain object: what passes between workers loses its class. */
  get members() {
    const { title, detail, status, code, pointer, parameter, topic, retryAfter } = this
    return { title, detail, status, code, pointer, parameter, topic, retryAfter }
  }
}

/** The problem as a message for the page. */
export function problemMessage({ title, detail, code }) {
  return element("p", { class: "message message-problem" },
    element("strong", {}, title ?? "Something went wrong"), detail ? ` ${detail}` : null,
    code ? " " : null, code ? element("code", {}, code) : null)
}
