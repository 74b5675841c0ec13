import { problemMessage } from "../http/problem.js"
import { CountAnnouncer } from "../page/announcer.js"
import { setText } from "../page/element.js"
import { count, counted } from "../page/format.js"
import { Arrivals } from "./arrivals.js"
import { EventList } from "./event-list.js"
import { History } from "./history.js"
import { Selection } from "./selection.js"

/** Events with which the list begins, and of which it grows. */
const pageLength = 200
/** As many events are looked through for a text before one is asked whether to go on. */
const mostSearched = 5_000
/** More arrivals than this in a second are not lit up one by one: a flickering list tells nobody anything. */
const mostLitPerSecond = 8
/** Past that, the list moves on at this pace (ms) instead of at every frame: no eye follows faster, and each move costs a layout. */
const busyInterval = 100

/**
 * The events of a selection in time: what comes, once per animation frame, at the top; what was, from the hub's history, as one
 * scrolls. While somebody reads – a row is open, the list is scrolled or paused – nothing moves: what comes is counted, and waits.
 */
export class Timeline {
  #parts
  #list
  #selection = new Selection({ patterns: [] })
  #arrivals = new Arrivals()
  #loading = new AbortController()
  #isPaused = false
  #isAtTop = true
  /** Whether the list ends before the newest event, since one has scrolled far down. */
  #isDetached = false
  /** The oldest event that was looked at, from which older ones are sought; null if there is none. */
  #edge = null
  /** `none`: there is nothing older; `more`: there may be; `asks`: there may be, but not without being asked for. */
  #past = "none"
  /** Ids that were loaded last: the stream may bring some of them once more. */
  #loaded = new Set()
  #isBusy = true
  #ends = null
  #frame = null
  #second = 0
  #arrivedInSecond = 0
  #lastFlush = 0
  #announcer = new CountAnnouncer(4_000, (number) => `${counted(number, "new event")}`)

  /**
   * @param {object} parts
   * @param {HTMLOListElement} parts.list
   * @param {HTMLElement} parts.empty Shown while there are no rows.
   * @param {HTMLElement} parts.total
   * @param {HTMLElement} parts.top Stands before the first row; whether it is in view tells whether the newest row is.
   * @param {HTMLButtonElement} parts.newest Leads back to the newest row.
   * @param {HTMLButtonElement} parts.older Stands after the last row, and asks for older ones.
   * @param {HTMLElement} parts.problem
   * @param {(number: number) => void} parts.onShow Events have entered the list.
   * @param {(event: object | null) => void} parts.onOpen An event was opened, or none is open any more.
   */
  constructor(parts) {
    this.#parts = parts
    this.#list = new EventList(parts.list, (row) => this.#toggled(row))
    parts.newest.addEventListener("click", () => this.#showNewest())
    parts.older.addEventListener("click", () => this.#loadOlder())
    this.#watchEnds()
    this.#render()
  }

  /** The types of the events in the list. */
  get types() {
    return this.#list.types
  }

  get isPaused() {
    return this.#isPaused
  }

  set isPaused(isPaused) {
    this.#isPaused = isPaused
    this.#scheduleFrame()
    this.#render()
  }

  /** Shows another selection: what of it is there stays, the rest goes at once. `load` brings what is missing. */
  select(selection) {
    this.#loading.abort()
    this.#loading = new AbortController()
    this.#isBusy = true
    this.#selection = selection
    this.#arrivals.clear()
    this.#past = "none"
    this.#list.keep((event) => selection.takes(event))
    this.#render()
  }

  /**
   * Loads the newest events, after `select` and once the stream listens: so none falls between.
   *
   * @param {{topic: string, id: string} | null} linked An event to open; if it is none of the newest, those around it are shown.
   */
  async load(linked = null) {
    // What is under way belongs to the list that was.
    this.#loading.abort()
    this.#loading = new AbortController()
    // What has come is part of what is loaded, or older.
    this.#arrivals.clear()
    await this.#busily(async (history) => {
      const { events, isAll } = await history.newest(pageLength)
      const shown = events.filter((event) => this.#selection.takes(event)).reverse()
      this.#loaded = new Set(events.map(({ id }) => id))
      this.#begin(shown, events[0] ?? null, isAll)
      if (linked && this.#list.rowOf(linked.id) === null) await this.#showAround(await history.one(linked), history)
    })
    if (linked) this.#openLinked(linked.id)
  }

  /** Takes what came over the stream. */
  add(event) {
    if (this.#loaded.has(event.id)) return
    if (this.#selection.takes(event)) this.#arrivals.add(event)
    this.#scheduleFrame()
  }

  /** Shows a word about the stream itself among the events, at its place in time. */
  addNotice(title, detail) {
    this.#arrivals.addNotice(title, detail)
    this.#scheduleFrame()
  }

  clear() {
    this.#edge = null
    this.#past = "asks"
    this.#isDetached = false
    this.#arrivals.clear()
    this.#list.clear()
    this.#render()
  }

  /** What is read right now is not to move. */
  get #isHeld() {
    return this.#isPaused || this.#isBusy || this.#isDetached || !this.#isAtTop || this.#list.openRow !== null
  }

  #begin(events, edge, isAll) {
    this.#list.replace(events)
    this.#edge = edge
    this.#past = isAll ? "none" : "more"
    this.#isDetached = false
    this.#arrivals.dropThrough(this.#loaded)
  }

  async #showAround(linked, history) {
    const { events, isAll } = await history.newer(linked.id, pageLength / 2)
    const shown = events.filter((event) => this.#selection.takes(event)).reverse()
    this.#begin([...shown, linked], linked, false)
    this.#isDetached = !isAll
  }

  #openLinked(id) {
    const row = this.#list.rowOf(id)
    if (!row) return
    if (!row.isOpen) row.toggle()
    row.element.scrollIntoView({ block: "center" })
    row.focus()
  }

  #showNewest() {
    this.#list.openRow?.toggle()
    this.#isAtTop = true
    this.#parts.top.scrollIntoView({ block: "end" })
    if (this.#isDetached) this.load().then(() => this.#list.focusFirst())
    else this.#flush(performance.now())
    this.#list.focusFirst()
  }

  async #loadOlder() {
    if (this.#isBusy) return
    if (this.#edge === null && this.#list.length === 0) {
      await this.load()
      return
    }
    await this.#busily(async (history) => {
      let searched = 0
      let found = 0
      this.#past = "more"
      while (found < pageLength / 4 && searched < mostSearched && this.#past === "more") {
        const edge = this.#edge ?? this.#list.oldest.event
        const { events, isAll } = await history.older(edge, pageLength, this.#likelySpan())
        const shown = events.filter((event) => this.#selection.takes(event) && this.#list.rowOf(event.id) === null).reverse()
        searched += pageLength
        found += shown.length
        this.#edge = events[0] ?? edge
        if (isAll) this.#past = "none"
        this.#list.keepPlace(() => {
          this.#list.append(shown.map((event) => this.#list.rowFor(event)))
          if (this.#list.trimNewest()) this.#isDetached = true
        })
        this.#render()
      }
      if (this.#past === "more" && searched >= mostSearched) this.#past = "asks"
    })
  }

  async #loadNewer() {
    if (this.#isBusy) return
    await this.#busily(async (history) => {
      const { id } = this.#list.newest.event
      const { events, isAll } = await history.newer(id, pageLength)
      this.#loaded = new Set(events.map((event) => event.id))
      const shown = events.filter((event) => this.#selection.takes(event)).reverse()
      this.#list.keepPlace(() => {
        this.#list.prepend(shown.map((event) => this.#list.rowFor(event)))
        this.#trimOldest()
      })
      if (!isAll) return
      // Here the list meets what came meanwhile, unless some of that was dropped.
      const isMet = this.#arrivals.dropThrough(new Set([events.at(-1)?.id ?? id]))
      this.#isDetached = !isMet && this.#arrivals.hasGap
    })
  }

  /** Does what asks the hub, one thing at a time, and says what went wrong. */
  async #busily(task) {
    const { signal } = this.#loading
    this.#isBusy = true
    this.#render()
    try {
      await task(new History(this.#selection, signal))
    } catch (problem) {
      if (signal.aborted) return
      if (problem.status === undefined) throw problem
      this.#parts.problem.replaceChildren(problemMessage(problem))
      this.#past = "asks"
    } finally {
      if (!signal.aborted) {
        this.#isBusy = false
        this.#render()
        this.#scheduleFrame()
        this.#watchEnds()
      }
    }
  }

  /** Milliseconds that a page of events took to come, to guess how far back the next one lies. */
  #likelySpan() {
    const { newest, oldest, length } = this.#list
    return length < 2 ? 60_000 : ((newest.at - oldest.at) / length) * pageLength
  }

  /** Loads more as an end of the list comes into view; called anew after loading, it does so if that end is still there. */
  #watchEnds() {
    const { top, older } = this.#parts
    this.#ends?.disconnect()
    this.#ends = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (target === top) this.#isAtTop = isIntersecting
        if (!isIntersecting || this.#isBusy) continue
        if (target === top && this.#isDetached) this.#loadNewer()
        if (target === older && this.#past === "more" && this.#list.length > 0) this.#loadOlder()
      }
      this.#scheduleFrame()
    })
    this.#ends.observe(top)
    this.#ends.observe(older)
  }

  #scheduleFrame() {
    this.#frame ??= requestAnimationFrame((now) => {
      this.#frame = null
      if (now - this.#lastFlush < busyInterval && this.#arrivedInSecond > mostLitPerSecond) this.#scheduleFrame()
      else if (this.#isHeld) this.#render()
      else this.#flush(now)
    })
  }

  #flush(now) {
    if (this.#arrivals.isEmpty) {
      this.#render()
      return
    }
    this.#lastFlush = now
    const { number, hasGap } = this.#arrivals
    const rows = this.#arrivals.rows(this.#list)
    // What was dropped lies between these rows and those below: the list begins anew, and the past with it.
    if (hasGap) this.#list.clear()
    if (this.#isCalm(rows.length, now)) for (const row of rows) row.element.classList.add("is-fresh")
    this.#list.prepend(rows)
    if (hasGap) this.#edgeAtEnd()
    this.#trimOldest()
    this.#render()
    this.#announcer.add(number)
    this.#parts.onShow(number)
  }

  #trimOldest() {
    if (this.#list.trimOldest()) this.#edgeAtEnd()
  }

  #edgeAtEnd() {
    const last = this.#list.oldest?.event
    this.#edge = last ?? null
    this.#past = "more"
  }

  #isCalm(arrived, now) {
    const second = Math.floor(now / 1_000)
    if (second !== this.#second) this.#arrivedInSecond = 0
    this.#second = second
    this.#arrivedInSecond += arrived
    return this.#arrivedInSecond <= mostLitPerSecond
  }

  #toggled(row) {
    // One at a time is read.
    this.#parts.onOpen(row.isOpen ? row.event : this.#list.openRow?.event ?? null)
    this.#scheduleFrame()
  }

  #render() {
    const { empty, total, newest, older } = this.#parts
    const { length } = this.#list
    const { number } = this.#arrivals
    empty.hidden = length > 0
    this.#parts.list.hidden = length === 0
    const words = [`${counted(length, "event")}${this.#selection.isFiltered ? " that match" : ""}`]
    if (this.#isPaused && number > 0) words.push(`${count(number)} waiting`)
    else if (this.#past !== "none") words[0] = `the newest ${words[0]}`
    if (this.#isDetached) words[0] = counted(length, "earlier event")
    setText(total, this.#isBusy && length === 0 ? "" : words.join(", "))
    newest.hidden = this.#isPaused || this.#isBusy || !this.#isHeld || (number === 0 && !this.#isDetached)
    setText(newest.querySelector(".label"), number > 0 ? counted(number, "new event") : "Newest")
    older.hidden = this.#past === "none" || (length === 0 && this.#past !== "asks")
    setText(older, this.#isBusy ? "Loading earlier events…" : "Show earlier events")
  }
}
