/**
 * Parses `text/event-stream`, as the WHATWG HTML standard defines it (section "Interpreting an event stream").
 *
 * A state machine without I/O: `push` takes decoded text in any portions and returns what has become complete.
 * It tells two things that an `EventSource` hides and the console wants to show: comments, and whether an event
 * carried an `id` of its own (a `gap` notice of the hub carries none).
 *
 * @example
 * const parser = new EventStreamParser()
 * parser.push("id: 1\nda")   // []
 * parser.push("ta: hi\n\n")  // [{ kind: "event", id: "1", type: "message", data: "hi", hasOwnID: true }]
 */
export class EventStreamParser {
  #partialLine = ""
  #skipsLineFeed = false
  #data = []
  #type = ""
  #hasOwnID = false
  #id

  /** @param {string} lastEventID The id that an earlier connection ended with; events without an id inherit it. */
  constructor(lastEventID = "") {
    this.#id = lastEventID
  }

  /**
   * @param {string} text The next portion, decoded from UTF-8, its byte order mark removed.
   * @returns {Array<{kind: "event", id: string, type: string, data: string, hasOwnID: boolean}
   *   | {kind: "position", id: string}
   *   | {kind: "comment", text: string}
   *   | {kind: "retry", milliseconds: number}>}
   */
  push(text) {
    const items = []
    if (text === "") return items
    // A CR and its LF may arrive in different portions; together they are one line end.
    let start = this.#skipsLineFeed && text[0] === "\n" ? 1 : 0
    this.#skipsLineFeed = text.endsWith("\r")

    const lineEnd = /\r\n|\r|\n/g
    lineEnd.lastIndex = start
    for (let match = lineEnd.exec(text); match; match = lineEnd.exec(text)) {
      const line = this.#partialLine + text.slice(start, match.index)
      this.#partialLine = ""
      start = lineEnd.lastIndex
      const item = this.#take(line)
      if (item) items.push(item)
    }
    this.#partialLine += text.slice(start)
    return items
  }

  #take(line) {
    if (line === "") return this.#dispatch()
    const colon = line.indexOf(":")
    if (colon === 0) return { kind: "comment", text: line.slice(1).replace(/^ /, "") }
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    switch (field) {
      case "data":
        this.#data.push(value)
        return null
      case "event":
        this.#type = value
        return null
      case "id":
        if (!value.includes("\0")) {
          this.#id = value
          this.#hasOwnID = true
        }
        return null
      case "retry":
        return /^[0-9]+$/.test(value) ? { kind: "retry", milliseconds: Number(value) } : null
      default:
        return null
    }
  }

  #dispatch() {
    const data = this.#data
    const type = this.#type
    const hasOwnID = this.#hasOwnID
    this.#data = []
    this.#type = ""
    this.#hasOwnID = false
    // Without a data line nothing is dispatched, yet an id in the block still moves the position.
    if (data.length === 0) return hasOwnID ? { kind: "position", id: this.#id } : null
    return { kind: "event", id: this.#id, type: type || "message", data: data.join("\n"), hasOwnID }
  }
}
