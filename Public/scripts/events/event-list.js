import { EventRow } from "./event-row.js"

/** Rows and characters kept, whichever is reached first: a row may carry a megabyte. */
export const mostRows = 500
export const mostCharacters = 16_000_000

/**
 * The rows of events in the document, newest first: a window of what there is. It is bounded; what no longer fits is dropped at
 * the end that is farther from where one looks.
 */
export class EventList {
  #list
  #onToggle
  /** Newest first, as in the document. */
  #rows = []
  #characters = 0
  /** The row that the Tab key leads to. */
  #tabStop = null

  /**
   * @param {HTMLOListElement} list
   * @param {(row: EventRow) => void} onToggle A row was opened or closed.
   */
  constructor(list, onToggle) {
    this.#list = list
    this.#onToggle = onToggle
    list.addEventListener("keydown", (event) => this.#moveFocus(event))
    list.addEventListener("focusin", (event) => this.#makeTabStop(event.target.closest("li")))
  }

  get length() {
    return this.#rows.length
  }

  get openRow() {
    return this.#rows.find((row) => row.isOpen) ?? null
  }

  /** The newest and the oldest row that is an event, null where there is none. */
  get newest() {
    return this.#rows.find((row) => row.event) ?? null
  }

  get oldest() {
    return this.#rows.findLast((row) => row.event) ?? null
  }

  get types() {
    return this.#rows.map((row) => row.event?.type).filter(Boolean)
  }

  rowOf(id) {
    return this.#rows.find((row) => row.event?.id === id) ?? null
  }

  rowFor(event) {
    return new EventRow(event, this.#onToggle)
  }

  /** @param {object[]} rows Newest first. */
  prepend(rows) {
    this.#rows.unshift(...rows)
    this.#list.prepend(...rows.map((row) => row.element))
    this.#count(rows, 1)
  }

  append(rows) {
    this.#rows.push(...rows)
    this.#list.append(...rows.map((row) => row.element))
    this.#count(rows, 1)
  }

  /** Shows these events and no others. Rows of events that were there stay as they are, open or not. */
  replace(events) {
    const former = new Map(this.#rows.filter((row) => row.event).map((row) => [row.event.id, row]))
    const rows = events.map((event) => former.get(event.id) ?? this.rowFor(event))
    this.#rows = rows
    this.#characters = 0
    this.#list.replaceChildren(...rows.map((row) => row.element))
    this.#count(rows, 1)
  }

  /** Drops the rows that do not pass; notices stay. */
  keep(passes) {
    this.#drop(this.#rows.filter((row) => row.event && !passes(row.event)))
  }

  /** Drops the oldest rows past the bounds; returns whether there were any. */
  trimOldest() {
    return this.#trim(this.#rows.slice(1).filter((row) => !row.isOpen).reverse())
  }

  /** Drops the newest rows past the bounds, sparing one that stands open; returns whether there were any. */
  trimNewest() {
    return this.#trim(this.#rows.filter((row) => !row.isOpen))
  }

  clear() {
    this.#drop(this.#rows)
  }

  /** Changes the list, and has what is in view stay where it is. */
  keepPlace(change) {
    const anchor = this.openRow ?? this.#firstInView()
    const before = anchor?.element.getBoundingClientRect().top
    change()
    if (!anchor?.element.isConnected) return
    const moved = anchor.element.getBoundingClientRect().top - before
    if (moved !== 0) scrollerOf(this.#list).scrollTop += moved
  }

  #firstInView() {
    const { top } = this.#list.parentElement.getBoundingClientRect()
    const edge = Math.max(top, 0)
    return this.#rows.find((row) => row.element.getBoundingClientRect().bottom > edge) ?? null
  }

  #trim(candidates) {
    const gone = []
    let rows = this.#rows.length
    let characters = this.#characters
    for (const row of candidates) {
      if (rows <= mostRows && characters <= mostCharacters) break
      gone.push(row)
      rows -= 1
      characters -= row.size
    }
    this.#drop(gone)
    return gone.length > 0
  }

  #drop(gone) {
    if (gone.length === 0) return
    const all = new Set(gone)
    const focused = this.#rows.findIndex((row) => all.has(row) && row.element.contains(document.activeElement))
    const next = focused < 0 ? null : this.#rows.slice(focused).concat(this.#rows.slice(0, focused).reverse()).find((row) => !all.has(row))
    this.#rows = this.#rows.filter((row) => !all.has(row))
    for (const row of gone) row.element.remove()
    this.#count(gone, -1)
    next?.focus()
  }

  #count(rows, sign) {
    for (const row of rows) this.#characters += sign * row.size
    if (!this.#tabStop?.isConnected && this.#rows.length > 0) this.#makeTabStop(this.#rows[0].element)
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

  focusFirst() {
    this.#rows[0]?.focus()
  }

  #makeTabStop(item) {
    const row = item?.querySelector(".event-row")
    if (!row) return
    if (this.#tabStop) this.#tabStop.tabIndex = -1
    row.tabIndex = 0
    this.#tabStop = row
  }
}

/** On a wide screen the list scrolls in a part of the page, on a narrow one with the page. */
function scrollerOf(list) {
  const part = list.closest(".event-scroll")
  return part && getComputedStyle(part).overflowY !== "visible" ? part : document.scrollingElement
}
