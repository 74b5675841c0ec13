import { credential } from "../http/credential.js"

/**
 * Asks for something again and again while the page is in view and it may be seen: never twice at a time, at once when the page
 * comes back or there is another credential, and not at all after a 401 or 403 until there is.
 */
export class Poll {
  #task
  #interval
  #onProblem
  #ending = new AbortController()
  #timer = null
  #isAsking = false
  #isRefused = false

  /**
   * @param {(signal: AbortSignal) => Promise<void>} task
   * @param {object} options
   * @param {number} options.interval Milliseconds between an answer and the next question.
   * @param {(problem: import("../http/problem.js").Problem) => void} options.onProblem
   */
  constructor(task, { interval, onProblem = () => {} }) {
    this.#task = task
    this.#interval = interval
    this.#onProblem = onProblem
    const { signal } = this.#ending
    document.addEventListener("visibilitychange", () => this.now(), { signal })
    const forget = credential.listen({ changed: () => {
      this.#isRefused = false
      this.now()
    } })
    signal.addEventListener("abort", forget)
    this.now()
  }

  /** Asks at once, and waits anew then. */
  async now() {
    clearTimeout(this.#timer)
    if (document.hidden || this.#isAsking || this.#isRefused || this.#ending.signal.aborted) return
    this.#isAsking = true
    try {
      await this.#task(this.#ending.signal)
    } catch (problem) {
      if (this.#ending.signal.aborted) return
      // What is no problem of the hub's is a fault of ours, and not to be passed over.
      if (problem.status === undefined) throw problem
      // Until there is another credential the answer would be the same.
      this.#isRefused = problem.status === 401 || problem.status === 403
      this.#onProblem(problem)
    } finally {
      this.#isAsking = false
      if (!document.hidden && !this.#ending.signal.aborted) this.#timer = setTimeout(() => this.now(), this.#interval)
    }
  }

  close() {
    clearTimeout(this.#timer)
    this.#ending.abort()
  }
}
