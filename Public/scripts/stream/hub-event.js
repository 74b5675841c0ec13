import { memberText } from "../json/json-scanner.js"

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
 *   where that has to be asked for.
 * @property {string} data The data as posted; of binary data its base64 form.
 * @property {boolean} isBinary
 * @property {number | null} arrivedAt Milliseconds since 1970; null for what was posted before.
 */

/**
 * Reads an event as it came over the stream, be it wrapped in a CloudEvents envelope or plain.
 *
 * @param {{id: string, type: string, data: string, isBase64?: boolean, arrivedAt: number}} item
 * @param {string | null} onlyTopic The topic of every event of this stream, if it can have but one.
 * @returns {HubEvent}
 */
export function readEvent(item, onlyTopic = null) {
  const plain = {
    id: item.id,
    topic: onlyTopic,
    type: item.type === "message" ? null : item.type,
    contentType: null,
    time: null,
    attributes: [],
    data: item.data,
    isBinary: item.isBase64 ?? false,
    arrivedAt: item.arrivedAt,
  }
  const envelope = readEnvelope(item.data)
  if (!envelope) return plain
  const isBinary = typeof envelope.data_base64 === "string"
  return {
    ...plain,
    ...(envelope.clariontopic === undefined ? madeByTheHub(envelope) : madeByThePoster(envelope)),
    contentType: envelope.datacontenttype ?? null,
    data: isBinary ? envelope.data_base64 : embeddedData(item.data, envelope),
    isBinary,
  }
}

/**
 * Reads an event out of a line of history.
 *
 * @param {string} line
 * @returns {HubEvent}
 */
export function readHistoryLine(line) {
  const { id, topic, type, time, contentType, data, dataBase64 } = JSON.parse(line)
  const isBinary = dataBase64 !== undefined
  const text = isBinary ? dataBase64 : embeddedData(line, { data, datacontenttype: contentType })
  return { id, topic, type, contentType, time, attributes: null, data: text, isBinary, arrivedAt: null }
}

/** The type that the hub gives an event in an envelope that was posted without one. */
const defaultType = "clarion.event"

/** An event that was posted as data: its attributes are what the hub knows of it. */
function madeByTheHub(envelope) {
  return {
    topic: envelope.subject,
    type: envelope.type === defaultType ? null : envelope.type,
    time: envelope.time ?? null,
  }
}

/**
 * An event that was posted as a CloudEvent: its attributes are its poster's, whatever they look like. Its subject is no topic,
 * and its time not that of the commit.
 */
function madeByThePoster(envelope) {
  const own = ["specversion", "type", "datacontenttype", "data", "data_base64", "clarionid", "clariontopic"]
  const known = ["source", "subject", "time", "id", "dataschema"]
  const extensions = Object.keys(envelope).filter((name) => !own.includes(name) && !known.includes(name)).sort()
  return {
    topic: envelope.clariontopic,
    type: envelope.type,
    attributes: [...known, ...extensions]
      .filter((name) => envelope[name] !== undefined)
      .map((name) => [name, String(envelope[name])]),
  }
}

function readEnvelope(text) {
  if (!text.startsWith("{") || !text.includes('"specversion"')) return null
  try {
    const value = JSON.parse(text)
    const isEnvelope = typeof value.specversion === "string" && typeof (value.clariontopic ?? value.subject) === "string"
    return isEnvelope ? value : null
  } catch {
    return null
  }
}

function embeddedData(text, envelope) {
  if (envelope.data === undefined) return ""
  const isJSON = /[/+]json\b/i.test(envelope.datacontenttype ?? "application/json")
  if (typeof envelope.data === "string" && !isJSON) return envelope.data
  // Cut out of the text rather than written anew: a parsed 12345678901234567890 would come out rounded.
  return memberText(text, "data") ?? JSON.stringify(envelope.data)
}
