import { credential } from "../http/credential.js"
import { hubURL } from "../http/hub.js"
import { Problem } from "../http/problem.js"
import { hearOfEnd } from "./port-end.js"
import { StreamShare } from "./stream-share.js"

/** How long a worker has to say its first word, in milliseconds: it has some ten files to load. */
const longestStart = 6_000

/** Of the messages between tab and worker. An older tab may have left a worker that speaks otherwise. */
const protocolVersion = 1

/**
 * This tab's end of the stream that all tabs share; see `StreamShare`. Where there is no `SharedWorker`, or it cannot be
 * started, the tab has a stream of its own.
 */
export class SharedStream {
  #port
  #onState
  #onEvents
  #onMissed
  #number = 0
  #wanted = null
  #token = null
  /** Whether what it listened by has ended, and it does not listen again yet. */
  #isCut = false

  /**
   * @param {object} handlers
   * @param {(state: {name: string, observerID?: string, at?: number, problem: Problem | null}) => void} handlers.onState The states
   *   of an `EventStream`; `live` comes again after each interruption.
   * @param {(events: object[]) => void} handlers.onEvents As they came over the stream, `isGap` for the hub's own notices.
   * @param {() => void} handlers.onMissed Some were left out, since this tab was frozen or too busy to take them, or
   *   what shares the stream has crashed, perhaps with another tab.
   */
  constructor({ onState, onEvents, onMissed }) {
    this.#onState = onState
    this.#onEvents = onEvents
    this.#onMissed = onMissed
    this.#use(workerPort(() => this.#use(ownPort())))
  }

  /** Listens to these topics and patterns from now on, in place of those before. */
  listen(patterns) {
    this.#number += 1
    this.#wanted = patterns
    this.#token = credential.token
    this.#onState({ name: "connecting", problem: null })
    this.#port.postMessage({ kind: "listen", number: this.#number, token: this.#token, patterns })
  }

  /** Listens no more; nothing is told until `listen` is called again. */
  leave() {
    this.#number += 1
    this.#wanted = null
    this.#port.postMessage({ kind: "leave" })
  }

  retry() {
    this.#port.postMessage({ kind: "retry" })
  }

  #use(port) {
    this.#port = port
    port.addEventListener("message", ({ data: message }) => this.#take(message))
    hearOfEnd(port, () => {
      this.#isCut = true
      this.#use(workerPort(() => this.#use(ownPort())))
    })
    port.start()
    if (this.#wanted) this.listen(this.#wanted)
  }

  #take({ number, kind, state, events }) {
    if (kind === "events") this.#port.postMessage({ kind: "read" })
    // What was under way when this tab asked for something else.
    if (number !== this.#number) return
    if (kind === "events") this.#onEvents(events)
    if (kind === "missed") this.#onMissed()
    if (kind !== "state") return
    const problem = state.problem ? new Problem(state.problem) : null
    this.#onState({ ...state, problem })
    if (state.name === "live" && this.#isCut) {
      this.#isCut = false
      this.#onMissed()
    }
    if (problem?.status === 401 && problem.code) credential.refuse(problem, this.#token)
  }
}

function workerPort(onError) {
  try {
    const url = new URL("share-worker.js", import.meta.url)
    const worker = new SharedWorker(url, { type: "module", name: `clarion ${protocolVersion} ${hubURL("")}` })
    // Of one that cannot be started Chromium does not always tell.
    const silence = setTimeout(() => {
      worker.port.postMessage({ kind: "leave" })
      onError()
    }, longestStart)
    worker.port.addEventListener("message", () => clearTimeout(silence), { once: true })
    worker.addEventListener("error", () => {
      clearTimeout(silence)
      onError()
    }, { once: true })
    // A page that is kept for the way back has its worker frozen, with the stream, before that hears that the page has left. One that
    // listens for this event is not kept.
    addEventListener("unload", () => {})
    return worker.port
  } catch {
    return ownPort()
  }
}

function ownPort() {
  const { port1, port2 } = new MessageChannel()
  new StreamShare().attach(port1)
  return port2
}
