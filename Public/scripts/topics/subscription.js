import { credential } from "../http/credential.js"
import { hubURL } from "../http/hub.js"
import { announce } from "../page/announcer.js"
import { element, icon } from "../page/element.js"
import { patternFault } from "./topic-pattern.js"

/** One for each hub: several may be under paths of one origin. */
const storageKey = `clarion.console.patterns ${hubURL("/")}`
const defaultPatterns = ["**"]
/** As many as the hub takes for one stream. */
const mostPatterns = 100

/**
 * The topics and patterns the page listens to, as chips; kept in the browser's storage.
 */
export class Subscription {
  #chips
  #form
  #input
  #fault
  #onChange
  #patterns = stored()

  /** @param {{chips: HTMLElement, form: HTMLFormElement, fault: HTMLElement, onChange: (patterns: string[]) => void}} parts */
  constructor({ chips, form, fault, onChange }) {
    this.#chips = chips
    this.#form = form
    this.#input = form.elements.pattern
    this.#fault = fault
    this.#onChange = onChange
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#addWritten()
    })
    this.#input.addEventListener("input", () => this.#showFault(null))
    this.#input.addEventListener("keydown", (event) => this.#handleKey(event))
    credential.listen({ changed: () => credential.token === null && this.#store(null) })
    this.#render()
  }

  get patterns() {
    return [...this.#patterns]
  }

  /** Shows others, which an address names: what is kept for the next time stays. */
  show(patterns) {
    this.#patterns = patterns.slice(0, mostPatterns)
    this.#render()
  }

  #handleKey(event) {
    // No topic may hold a space, so a space can end one; commas may be part of a topic.
    if (event.key === " ") {
      event.preventDefault()
      this.#addWritten()
    } else if (event.key === "Backspace" && this.#input.value === "") {
      this.#chips.querySelector("li:last-of-type button")?.focus()
    }
  }

  #addWritten() {
    const written = this.#input.value.trim()
    const fault = this.#patterns.length >= mostPatterns ? `One stream takes up to ${mostPatterns} topics.` : patternFault(written)
    this.#showFault(fault)
    if (fault) return
    this.#input.value = ""
    if (this.#patterns.includes(written)) return
    // Whoever names a topic while listening to everything wants to hear less.
    const listensToAll = this.#patterns.length === 1 && this.#patterns[0] === "**"
    this.#set(listensToAll && written !== "**" ? [written] : [...this.#patterns, written])
    announce(`Listening to ${this.#patterns.join(", ")}`)
  }

  #remove(pattern) {
    const index = this.#patterns.indexOf(pattern)
    this.#set(this.#patterns.filter((other) => other !== pattern))
    announce(`No longer listening to ${pattern}`)
    const buttons = this.#chips.querySelectorAll("button")
    ;(buttons[Math.min(index, buttons.length - 1)] ?? this.#input).focus()
  }

  #set(patterns) {
    this.#patterns = patterns
    this.#store(patterns)
    this.#render()
    this.#onChange(this.patterns)
  }

  /** @param {string[] | null} patterns Null for none: what a credential may see is not for the next. */
  #store(patterns) {
    try {
      if (patterns === null) localStorage.removeItem(storageKey)
      else localStorage.setItem(storageKey, JSON.stringify(patterns))
    } catch {
      // A browser that stores nothing still listens.
    }
  }

  #showFault(fault) {
    this.#fault.textContent = fault ?? ""
    this.#input.setAttribute("aria-invalid", String(fault !== null))
  }

  #render() {
    const chips = this.#patterns.map((pattern) =>
      element("li", { class: "chip" },
        element("span", { class: "chip-text" }, pattern),
        element("button", {
          type: "button", class: "chip-remove", "aria-label": `Stop listening to ${pattern}`, title: "Stop listening",
          onclick: () => this.#remove(pattern),
        }, icon("cross"))))
    this.#chips.replaceChildren(...chips)
  }
}

function stored() {
  try {
    const patterns = JSON.parse(localStorage.getItem(storageKey))
    const areValid = Array.isArray(patterns) && patterns.every((pattern) => typeof pattern === "string" && patternFault(pattern) === null)
    return areValid ? patterns.slice(0, mostPatterns) : defaultPatterns
  } catch {
    return defaultPatterns
  }
}
