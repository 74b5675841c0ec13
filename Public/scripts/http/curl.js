import { credential } from "./credential.js"
import { hubURL } from "./hub.js"

/** What the hub takes data for that is text and no JSON. */
export const textType = "text/plain; charset=utf-8"

/**
 * Path under which events of a topic are posted and streamed.
 *
 * @param {string} topic One topic or pattern; becomes a single path segment.
 */
export function eventsPath(topic) {
  return `/topics/${encodeURIComponent(topic)}/events`
}

/**
 * Path of one stream over several patterns.
 *
 * @param {string[]} patterns
 * @param {Record<string, string>} parameters Further query parameters.
 */
export function streamPath(patterns, parameters = {}) {
  const topics = patterns.map((pattern) => ["topic", pattern])
  const query = [...topics, ...Object.entries(parameters)]
  return `/events?${query.map(([name, value]) => `${name}=${readable(value)}`).join("&")}`
}

/** Percent-encodes a query value, sparing what a query may hold (RFC 3986, section 3.4) and people like to read. */
function readable(value) {
  return encodeURIComponent(value).replace(/%(3A|2F)/g, decodeURIComponent)
}

/** The command that listens to the same events as the page. */
export function subscriptionCommand(patterns) {
  const path = patterns.length === 1 ? eventsPath(patterns[0]) : streamPath(patterns)
  return ["curl -N -H 'Accept: text/event-stream'", ...shownCredential(), quoted(hubURL(path))].join(" ")
}

/**
 * The command that posts the same event as the form.
 *
 * @param {{topic: string, type: string, contentType: string, body: string}} event
 */
export function postCommand({ topic, type, contentType, body }) {
  const words = ["curl", ...shownCredential()]
  if (type) words.push("-H", quoted(`Event-Type: ${type}`))
  if (!isTakenFor(contentType, body)) words.push("-H", quoted(`Content-Type: ${contentType}`))
  words.push(body.startsWith("@") ? "--data-raw" : "-d", quoted(body))
  words.push(quoted(hubURL(eventsPath(topic))))
  return words.join(" ")
}

/**
 * Whether the hub takes the data for this content type without being told. curl's own, a form, says nothing to it: then data is
 * JSON if it is an object or an array, otherwise text. Which JSON is one is for the hub alone to say, so data that begins like it
 * is not guessed at.
 */
function isTakenFor(contentType, body) {
  return contentType === textType && !/^[ \t\n\r]*[{[]/.test(body)
}

/** The credential as a variable of the shell: a command is pasted where others can read it. */
function shownCredential() {
  return credential.token === null ? [] : ["-H", '"Authorization: Bearer $CLARION_TOKEN"']
}

/** A word of a POSIX shell. */
function quoted(word) {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
