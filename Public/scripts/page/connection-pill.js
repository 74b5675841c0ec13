import { announce } from "./announcer.js"
import { setText } from "./element.js"

const labels = {
  connecting: "Connecting", live: "Live", reconnecting: "Reconnecting", paused: "Paused",
  ended: "Unregistered", refused: "Refused", closed: "Not listening",
}

/** Shows how the page's own stream is doing, and lets the user hurry it along. */
export class ConnectionPill {
  #pill
  #button
  #state = { name: "connecting" }
  #isPaused = false
  #shown = ""

  /** @param {{pill: HTMLElement, button: HTMLButtonElement, onRetry: () => void}} parts */
  constructor({ pill, button, onRetry }) {
    this.#pill = pill
    this.#button = button
    button.addEventListener("click", onRetry)
    setInterval(() => this.#renderCountdown(), 500)
    this.#render()
  }

  /** @param {{name: string, at?: number}} state One of an `EventStream`, or `{name: "closed"}` where there is none. */
  set state(state) {
    this.#state = state
    this.#render()
  }

  set isPaused(isPaused) {
    this.#isPaused = isPaused
    this.#render()
  }

  #render() {
    // Trouble with the connection outranks a pause: a paused list would otherwise hide it.
    const name = this.#isPaused && this.#state.name === "live" ? "paused" : this.#state.name
    this.#pill.dataset.state = name
    setText(this.#pill.querySelector(".pill-label"), labels[name])
    this.#button.hidden = !["reconnecting", "ended", "refused"].includes(name)
    this.#renderCountdown()
    if (name === this.#shown) return
    this.#shown = name
    if (name !== "connecting") announce(labels[name])
  }

  #renderCountdown() {
    const { name, at } = this.#state
    const seconds = name === "reconnecting" ? Math.ceil((at - Date.now()) / 1_000) : 0
    setText(this.#button, name === "ended" ? "Listen again" : seconds > 0 ? `Retry now (${seconds} s)` : "Retry now")
  }
}
