import { CountAnnouncer } from "../page/announcer.js"
import { count, counted } from "../page/format.js"
import { setText } from "../page/element.js"
import { readEvent } from "../stream/hub-event.js"
import { EventRow } from "./event-row.js"
import { NoticeRow } from "./notice-row.js"

/** Rows and characters kept, whichever is reached first: a row may carry a megabyte. */
const mostRows = 500
const mostCharacters = 16_000_000
/** More arrivals than this in a second are not lit up one by one: a flickering list tells nobody anything. */
const mostLitPerSecond = 8
/** Past that, the list moves on at this pace (ms) instead of at every frame: no eye follows faster, and each move costs a layout. */
const busyInterval = 100

/**
 * The newest events, newest first.
 *
 * Arrivals wait in a queue and enter the document once per animation frame, so that hundreds in a second cost one
 * layout per frame. Queue and list are bounded alike; what falls out of the queue was never going to be seen.
 */
export class EventList {
  #list
  #parts
  #queue = []
  #queuedCharacters = 0
  #keptCharacters = 0
  /** Newest first, as in the document. */
  #rows = []
  #total = 0
  #isPaused = false
  #frame = null
  #unseen = 0
  #second = 0
  #arrivedInSecond = 0
  #lastFlush = 0
  /** The row that the Tab key leads to. */
  #tabStop = null
  #isAtTop = true
  #announcer = new CountAnnouncer(4_000, (number) => `${counted(number, "new event")}`)

  /**
   * @param {object} parts
   * @param {HTMLOListElement} parts.list
   * @param {HTMLElement} parts.empty Shown while there are no rows.
   * @param {HTMLElement} parts.total
   * @param {HTMLElement} parts.top Stands before the first row; whether it is in view tells whether the newest row is.
   * @param {HTMLButtonElement} parts.newest Leads back to the newest row.
   * @param {(number: number) => void} parts.onShow Events have entered the list.
   */
  constructor(parts) {
    this.#parts = parts
    this.#list = parts.list
    this.#list.addEventListener("keydown", (event) => this.#moveFocus(event))
    this.#list.addEventListener("focusin", (event) => this.#makeTabStop(event.target.closest("li")))
    parts.newest.addEventListener("click", () => {
      parts.top.scrollIntoView({ block: "end" })
      this.#rows[0]?.focus()
    })
    new IntersectionObserver(([entry]) => {
      this.#isAtTop = entry.isIntersecting
      if (this.#isAtTop) this.#unseen = 0
      this.#renderCounts()
    }).observe(parts.top)
    this.#renderCounts()
  }

  get isPaused() {
    return this.#isPaused
  }

  set isPaused(isPaused) {
    this.#isPaused = isPaused
    if (!isPaused) this.#scheduleFrame()
    this.#renderCounts()
  }

  /** Takes what came over the stream: events, told apart from the hub's own notices. */
  add(item, onlyTopic) {
    this.#total += 1
    this.#enqueue({ make: () => new EventRow(readEvent(item, onlyTopic)), size: item.data.length })
  }

  /** Shows a word about the stream itself among the events, at its place in time. */
  addNotice(title, detail) {
    this.#enqueue({ make: () => new NoticeRow(title, detail), size: title.length + detail.length })
  }

  clear() {
    this.#queue = []
    this.#rows = []
    this.#queuedCharacters = this.#keptCharacters = this.#total = this.#unseen = 0
    this.#list.replaceChildren()
    this.#renderCounts()
  }

  #enqueue(arrival) {
    this.#queue.push(arrival)
    this.#queuedCharacters += arrival.size
    while (this.#queue.length > mostRows || (this.#queuedCharacters > mostCharacters && this.#queue.length > 1)) {
      this.#queuedCharacters -= this.#queue.shift().size
    }
    this.#scheduleFrame()
  }

  #scheduleFrame() {
    this.#frame ??= requestAnimationFrame((now) => {
      this.#frame = null
      if (now - this.#lastFlush < busyInterval && this.#arrivedInSecond > mostLitPerSecond) this.#scheduleFrame()
      else if (this.#isPaused) this.#renderCounts()
      else this.#flush(now)
    })
  }

  #flush(now) {
    if (this.#queue.length === 0) return
    this.#lastFlush = now
    const arrivals = this.#queue
    this.#queue = []
    this.#queuedCharacters = 0
    const rows = arrivals.map(({ make, size }) => Object.assign(make(), { size })).reverse()
    for (const row of rows) {
      this.#keptCharacters += row.size
    }
    if (this.#isCalm(rows.length, now)) for (const row of rows) row.element.classList.add("is-fresh")
    const fragment = document.createDocumentFragment()
    fragment.append(...rows.map((row) => row.element))
    this.#list.prepend(fragment)
    this.#rows.unshift(...rows)
    this.#trim()
    if (!this.#isAtTop) this.#unseen += rows.length
    if (!this.#tabStop?.isConnected) this.#makeTabStop(this.#rows[0].element)
    this.#renderCounts()
    this.#announcer.add(rows.length)
    this.#parts.onShow(rows.length)
  }

  #isCalm(arrived, now) {
    const second = Math.floor(now / 1_000)
    if (second !== this.#second) this.#arrivedInSecond = 0
    this.#second = second
    this.#arrivedInSecond += arrived
    return this.#arrivedInSecond <= mostLitPerSecond
  }

  /** Drops the oldest rows past the bounds, sparing those that stand open: somebody is reading them. */
  #trim() {
    let index = this.#rows.length - 1
    while (index > 0 && (this.#rows.length > mostRows || this.#keptCharacters > mostCharacters)) {
      const row = this.#rows[index]
      if (!row.isOpen) {
        const hadFocus = row.element.contains(document.activeElement)
        row.element.remove()
        this.#rows.splice(index, 1)
        this.#keptCharacters -= row.size
        if (hadFocus) this.#rows[Math.min(index, this.#rows.length) - 1]?.focus()
      }
      index -= 1
    }
  }

  /** The list is one stop of the Tab key; arrow keys move within it. */
  #moveFocus(event) {
    const index = this.#rows.findIndex((row) => row.element === event.target.closest("li"))
    const isOnRow = event.target.matches(".event-row")
    if (index < 0 || !isOnRow) return
    const targets = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: this.#rows.length - 1 }
    const target = this.#rows[targets[event.key]]
    if (!target) return
    event.preventDefault()
    target.focus()
  }

  #makeTabStop(item) {
    const row = item?.querySelector(".event-row")
    if (!row) return
    if (this.#tabStop) this.#tabStop.tabIndex = -1
    row.tabIndex = 0
    this.#tabStop = row
  }

  #renderCounts() {
    const { empty, total, newest } = this.#parts
    const waiting = this.#isPaused ? this.#queue.length : 0
    empty.hidden = this.#rows.length > 0
    this.#list.hidden = this.#rows.length === 0
    const words = [counted(this.#total, "event")]
    if (waiting > 0) words.push(`${count(waiting)} waiting`)
    else if (this.#total > mostRows) words.push(`the newest ${count(this.#rows.length)} shown`)
    setText(total, words.join(", "))
    newest.hidden = this.#isAtTop || this.#unseen === 0
    setText(newest.querySelector(".label"), `${counted(Math.min(this.#unseen, mostRows), "new event")}`)
  }
}
