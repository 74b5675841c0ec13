import { memberText } from "../json/json-scanner.js"

/**
 * An event of the hub as the console shows it.
 *
 * @typedef {object} HubEvent
 * @property {string} id
 * @property {string | null} topic Null where the stream does not tell it.
 * @property {string | null} type
 * @property {string | null} contentType
 * @property {string | null} time When the hub committed it, RFC 3339.
 * @property {string} data The data as posted; of binary data its base64 form.
 * @property {boolean} isBinary
 * @property {number} arrivedAt Milliseconds since 1970.
 */

/**
 * Reads an event as it came over the stream, be it wrapped in a CloudEvents envelope or plain.
 *
 * @param {{id: string, type: string, data: string, isBase64?: boolean, arrivedAt: number}} item
 * @param {string | null} onlyTopic The topic of every event of this stream, if it can have but one.
 * @returns {HubEvent}
 */
export function readEvent(item, onlyTopic = null) {
  const type = item.type === "message" ? null : item.type
  const plain = {
    id: item.id,
    topic: onlyTopic,
    type,
    contentType: null,
    time: null,
    data: item.data,
    isBinary: item.isBase64 ?? false,
    arrivedAt: item.arrivedAt,
  }
  const envelope = readEnvelope(item.data)
  if (!envelope) return plain
  const isBinary = typeof envelope.data_base64 === "string"
  return {
    ...plain,
    topic: envelope.topic ?? envelope.subject ?? onlyTopic,
    contentType: envelope.datacontenttype ?? null,
    time: envelope.time ?? null,
    data: isBinary ? envelope.data_base64 : embeddedData(item.data, envelope),
    isBinary,
  }
}

function readEnvelope(text) {
  if (!text.startsWith("{") || !text.includes('"specversion"')) return null
  try {
    const value = JSON.parse(text)
    const names = typeof value.specversion === "string" && (value.topic ?? value.subject)
    return typeof names === "string" ? value : null
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
