import { askAs } from "../http/asking.js"
import { credential } from "../http/credential.js"
import { problemMessage } from "../http/problem.js"
import { say } from "../navigation/route.js"
import { announce } from "./announcer.js"
import { busily } from "./busy.js"

/** Asks for a credential when the hub does. */
export class TokenForm {
  #form
  #problem
  #forgetting

  /** @param {{form: HTMLFormElement, problem: HTMLElement, dismissal: HTMLButtonElement, forgetting: HTMLButtonElement}} parts */
  constructor({ form, problem, dismissal, forgetting }) {
    this.#form = form
    this.#problem = problem
    this.#forgetting = forgetting
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      busily(this.#form, this.#problem, () => this.#use())
    })
    dismissal.addEventListener("click", () => this.#close())
    forgetting.addEventListener("click", () => {
      credential.token = null
      // What it may see is in all parts of the page, and in the address.
      say("#/events")
      location.reload()
    })
    credential.listen({
      changed: () => this.#render(),
      refused: (refusal) => this.#ask(refusal),
    })
    this.#render()
  }

  async #use() {
    const { token } = this.#form.elements
    const written = token.value.trim()
    if (!written) return
    if (!/^[\x21-\x7e]+$/.test(written)) {
      this.#problem.replaceChildren(problemMessage({ title: "This is none", detail: "A credential has no spaces, and no letters but those of ASCII." }))
      return
    }
    await tryOut(written)
    // It was dismissed meanwhile.
    if (this.#form.hidden) return
    this.#close()
    credential.token = written
  }

  #close() {
    this.#form.elements.token.value = ""
    this.#problem.replaceChildren()
    this.#form.hidden = true
  }

  #ask(refusal) {
    // Whoever has shown none need not be told that it was missing, and what was wrong with the last one stays.
    if (refusal.code !== "credential-required") this.#problem.replaceChildren(problemMessage(refusal))
    const wasHidden = this.#form.hidden
    this.#form.hidden = false
    if (wasHidden) this.#attract()
    this.#render()
  }

  /** Takes the focus, but never from somebody who writes: the rest of the words would be taken for the credential. */
  #attract() {
    const isWriting = document.activeElement?.matches("input, textarea, select")
    if (isWriting) announce(this.#form.querySelector("h2").textContent)
    else this.#form.elements.token.focus()
  }

  #render() {
    this.#forgetting.hidden = credential.token === null
  }
}

/** Milliseconds after which a hub that does not answer leaves it to the parts of the page to say so. */
const longestTrial = 5_000

/**
 * Shows the hub a credential once. All parts of the page would do so at a time, and with a wrong one each of them would count as
 * a guess. What it has no right to see does not matter.
 *
 * @throws {Problem} If the hub does not take it, or no more of them for now.
 */
async function tryOut(token) {
  const signal = AbortSignal.timeout(longestTrial)
  const { problem } = await askAs(token, "/observers?limit=1", { signal }).catch(() => ({ problem: null }))
  if ([401, 429].includes(problem?.status)) throw problem
}
