import { endOfString } from "./json-scanner.js"

/**
 * A JSON object that the hub has written, of which only what is asked for is read.
 *
 * Posters choose its data and how many attributes there are, up to a megabyte, and who watches reads each event on the thread that
 * draws. So nothing here goes through all of it but the engine's own search for a text, whatever it is.
 *
 * That search finds the right place because of what the hub writes: no white space between members, `data` as the last of them,
 * nothing nested before it, and names of letters, digits and underscores. Within a string every quote has a backslash
 * before it, so a name in quotes with a colon after it is that name.
 */
export class HubObject {
  /** All that stands before the data; everything if there is none. */
  #head
  /** The text of the data, exactly as it stands there: parsed, a 12345678901234567890 would come out rounded. Null if there is none. */
  data

  constructor(text) {
    const label = '"data":'
    const start = text.indexOf(label)
    this.#head = start < 0 ? text : text.slice(0, start)
    this.data = start < 0 ? null : text.slice(start + label.length, text.lastIndexOf("}")).trim()
  }

  /** The value of a member other than `data`; undefined if there is none. */
  get(name) {
    const label = `"${name}":`
    const start = this.#head.indexOf(label)
    return start < 0 ? undefined : JSON.parse(scalarAt(this.#head, start + label.length))
  }

  /** All members but `data`. */
  get members() {
    return JSON.parse(this.data === null ? this.#head : `${this.#head.replace(/,$/, "")}}`)
  }
}

function scalarAt(text, start) {
  if (text[start] === '"') return text.slice(start, endOfString(text, start))
  const end = /[,}]/g
  end.lastIndex = start
  return text.slice(start, end.exec(text)?.index)
}
