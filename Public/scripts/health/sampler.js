import { credential } from "../http/credential.js"
import { hubURL } from "../http/hub.js"
import { Problem } from "../http/problem.js"
import { isForNow, readFromLists, readFromMetrics, readiness } from "./reading.js"

/** Milliseconds between readings, and how far back they are kept. */
const interval = 5_000
export const span = 3_600_000
const storageKey = `clarion.console.readings ${hubURL("/")}`
/** Set once `/metrics` has answered: from then on readings are taken on every page, not on that of the health alone. */
const knownKey = `clarion.console.metrics ${hubURL("/")}`

/** Takes readings of the hub and keeps those of the last hour for this tab, also over a reload. */
class Sampler {
  readings = stored()
  /** `metrics` or `lists`; null before the first reading. */
  source = null
  /** Why `/metrics` is not read; null if it is. */
  problem = null
  /** Why the hub takes no posts; null if it does. */
  unready = null
  /** Whether the last reading failed because the hub did not answer. */
  isSilent = false
  /** Why the last reading failed although the hub answered; null if it did not. */
  failure = null
  #viewers = new Set()
  #timer = null
  #isReading = false

  constructor() {
    credential.listen({ changed: () => {
      // What one credential may see is not for the next.
      this.readings = []
      this.#store()
      this.source = null
      this.failure = null
      for (const onReading of this.#viewers) onReading()
      if (this.#timer) this.#read()
    } })
    addEventListener("pagehide", () => this.#store())
    if (isKnown()) this.#begin()
  }

  /** Calls back after each reading, as long as somebody looks. Returns what ends that. */
  watch(onReading) {
    this.#viewers.add(onReading)
    this.#begin()
    return () => {
      this.#viewers.delete(onReading)
      if (this.#viewers.size === 0 && !isKnown()) this.#end()
    }
  }

  #begin() {
    if (this.#timer) return
    this.#timer = setInterval(() => this.#read(), interval)
    this.#read()
  }

  #end() {
    clearInterval(this.#timer)
    this.#timer = null
  }

  async #read() {
    if (this.#isReading) return
    this.#isReading = true
    const { token } = credential
    const signal = AbortSignal.timeout(2 * interval)
    try {
      // The state of the hub is shown to those who look; it costs the hub a write.
      if (this.#viewers.size > 0) this.unready = await readiness(signal)
      const reading = await this.#reading(signal)
      if (reading && token === credential.token) this.#keep(reading)
      this.isSilent = false
      this.failure = null
    } catch (error) {
      this.isSilent = !(error instanceof Problem)
      this.failure = this.isSilent ? null : error
    } finally {
      this.#isReading = false
      if (token !== credential.token) {
        // What a former credential was answered says nothing of this one.
        this.source = null
        this.failure = null
        if (this.#timer) this.#read()
      }
      for (const onReading of this.#viewers) onReading()
    }
  }

  async #reading(signal) {
    if (this.source !== "lists") {
      const { reading, problem } = await readFromMetrics(signal)
      // It does not change where readings come from.
      if (isForNow(problem)) throw problem
      this.problem = problem
      this.source = reading ? "metrics" : "lists"
      know(reading !== null)
      if (reading) return reading
    }
    return this.#viewers.size > 0 ? { ...await readFromLists(signal), source: "lists" } : null
  }

  #keep(reading) {
    const isOther = this.readings.at(-1) && (this.readings.at(-1).source ?? "metrics") !== (reading.source ?? "metrics")
    // What was added up otherwise cannot be compared.
    if (isOther) this.readings = []
    this.readings = [...this.readings, reading].filter(({ at }) => at >= Date.now() - span)
  }

  #store() {
    try {
      if (this.readings.length === 0) sessionStorage.removeItem(storageKey)
      else sessionStorage.setItem(storageKey, JSON.stringify(this.readings))
    } catch {
      // A browser that stores nothing begins anew.
    }
  }
}

function stored() {
  try {
    const readings = JSON.parse(sessionStorage.getItem(storageKey))
    return Array.isArray(readings) ? readings.filter(({ at }) => at >= Date.now() - span && at <= Date.now()) : []
  } catch {
    return []
  }
}

function isKnown() {
  try {
    return localStorage.getItem(knownKey) !== null
  } catch {
    return false
  }
}

function know(isThere) {
  try {
    if (isThere) localStorage.setItem(knownKey, "")
    else localStorage.removeItem(knownKey)
  } catch {
    // A browser that stores nothing reads on the page of the health alone.
  }
}

export const sampler = new Sampler()
