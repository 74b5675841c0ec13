import { HubObject } from "../json/hub-object.js"

/**
 * An event of the hub as the console shows it.
 *
 * @typedef {object} HubEvent
 * @property {string} id
 * @property {string | null} topic Null where the stream does not tell it.
 * @property {string | null} type
 * @property {string | null} contentType
 * @property {string | null} time When the hub committed it, RFC 3339; null where the stream does not tell it.
 * @property {[string, string][] | null} attributes What the poster of a CloudEvent says of it, by the names of CloudEvents; null
 *   where that has to be asked for. Read anew each time: most events are never opened, and one may have a mebibyte of them.
 * @property {string} data The data as posted; of binary data its base64 form.
 * @property {boolean} isBinary
 * @property {number | null} arrivedAt Milliseconds since 1970; null for what was posted before.
 * @property {number} size How many characters are kept for it, about.
 */

/**
 * Reads an event as it came over the stream, be it wrapped in a CloudEvents envelope or plain.
 *
 * @param {{id: string, type: string, data: string, isBase64?: boolean, arrivedAt: number}} item
 * @param {string | null} onlyTopic The topic of every event of this stream, if it can have but one.
 * @returns {HubEvent}
 */
export function readEvent(item, onlyTopic = null) {
  return readEnveloped(item) ?? {
    id: item.id,
    topic: onlyTopic,
    type: item.type === "message" ? null : item.type,
    contentType: null,
    time: null,
    attributes: [],
    data: item.data,
    isBinary: item.isBase64 ?? false,
    arrivedAt: item.arrivedAt,
    size: item.data.length,
  }
}

/**
 * Reads an event out of a line of history.
 *
 * @param {string} line
 * @returns {HubEvent}
 */
export function readHistoryLine(line) {
  const object = new HubObject(line)
  const contentType = object.get("contentType")
  return {
    id: object.get("id"),
    topic: object.get("topic"),
    type: object.get("type"),
    contentType,
    time: object.get("time"),
    attributes: null,
    // Here, unlike in an envelope, data without a content type is no JSON.
    ...readData(object, contentType ?? "", "dataBase64"),
    arrivedAt: null,
    size: line.length,
  }
}

/** The type that the hub gives an event in an envelope that was posted without one. */
const defaultType = "clarion.event"

/** An event in its envelope; null if it is in none. */
function readEnveloped({ id, data: text, arrivedAt }) {
  if (!text.startsWith('{"specversion":')) return null
  try {
    const envelope = new HubObject(text)
    const posted = envelope.get("clariontopic")
    const topic = posted ?? envelope.get("subject")
    if (typeof topic !== "string") return null
    const contentType = envelope.get("datacontenttype") ?? null
    const type = envelope.get("type")
    // Of one that was posted as a CloudEvent the attributes are its poster's, whatever they look like: its subject is no topic, and
    // its time not that of the commit.
    const isPosters = posted !== undefined
    return {
      id,
      topic,
      type: !isPosters && type === defaultType ? null : type,
      contentType,
      time: isPosters ? null : envelope.get("time") ?? null,
      get attributes() {
        return isPosters ? postersAttributes(envelope.members) : []
      },
      ...readData(envelope, contentType, "data_base64"),
      arrivedAt,
      size: text.length,
    }
  } catch {
    return null
  }
}

function postersAttributes(members) {
  const own = ["specversion", "type", "datacontenttype", "data_base64", "clarionid", "clariontopic"]
  const known = ["source", "subject", "time", "id", "dataschema"]
  const extensions = Object.keys(members).filter((name) => !own.includes(name) && !known.includes(name)).sort()
  return [...known, ...extensions]
    .filter((name) => members[name] !== undefined)
    .map((name) => [name, String(members[name])])
}

function readData(object, contentType, base64Name) {
  if (object.data === null) {
    const base64 = object.get(base64Name)
    return { data: base64 ?? "", isBinary: base64 !== undefined }
  }
  const isJSON = /[/+]json\b/i.test(contentType ?? "application/json")
  return { data: object.data.startsWith('"') && !isJSON ? JSON.parse(object.data) : object.data, isBinary: false }
}
