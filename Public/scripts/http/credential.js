import { hubURL } from "./hub.js"

/** One for each hub: several may be under paths of one origin. */
const storageKey = `clarion.console.token ${hubURL("/")}`

/**
 * The credential with which the page asks the hub: an API key or a token. It is kept for this tab alone, travels in
 * `Authorization`, and never stands in a URL, which others would get to see.
 */
class Credential {
  #token = stored()
  #listeners = []

  /** Null if there is none. */
  get token() {
    return this.#token
  }

  /** Takes another credential, or none, and tells the listeners. */
  set token(token) {
    this.#keep(token)
    for (const { changed } of this.#listeners) changed?.()
  }

  /**
   * @param {{changed?: () => void, refused?: (problem: import("./problem.js").Problem) => void}} listener
   * @returns {() => void} Ends it.
   */
  listen(listener) {
    this.#listeners.push(listener)
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener)
    }
  }

  /**
   * The hub asks for a credential, or does not take the one that it was shown.
   *
   * @param {import("./problem.js").Problem} problem
   * @param {string | null} shown With which it was asked; it may be another by now.
   */
  refuse(problem, shown) {
    if (shown !== this.#token) return
    // Shown again it would count as guessing.
    this.#keep(null)
    for (const { refused } of this.#listeners) refused?.(problem)
  }

  #keep(token) {
    this.#token = token
    try {
      if (token === null) sessionStorage.removeItem(storageKey)
      else sessionStorage.setItem(storageKey, token)
    } catch {
      // A browser that stores nothing asks again after a reload.
    }
  }
}

function stored() {
  try {
    return sessionStorage.getItem(storageKey)
  } catch {
    return null
  }
}

export const credential = new Credential()
