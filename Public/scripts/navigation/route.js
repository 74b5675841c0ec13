/**
 * Where in the console one is: `#/topics/orders.created?…`. It stands in the fragment, which never leaves the browser, so it
 * works under any path and behind any proxy. No credential ever stands in it.
 *
 * @typedef {object} Route
 * @property {string} page
 * @property {string | null} name Of the one thing that the page shows.
 * @property {URLSearchParams} query
 */

/** @returns {Route | null} Null for a fragment that is none of the console's. */
export function readRoute(fragment = location.hash) {
  if (fragment === "" || fragment === "#") return { page: "events", name: null, query: new URLSearchParams() }
  if (!fragment.startsWith("#/")) return null
  const [path, query = ""] = divided(fragment.slice(2), "?")
  const [page, name] = divided(path, "/")
  return { page, name: name ? decoded(name) : null, query: new URLSearchParams(query) }
}

/**
 * The reference to a page of the console.
 *
 * @param {string} page
 * @param {string | null} name Of a topic, a webhook.
 * @param {Record<string, string | string[]>} query
 * @example routeHref("topics", "a/b")   // "#/topics/a%2Fb"
 */
export function routeHref(page, name = null, query = {}) {
  const pairs = Object.entries(query).flatMap(([key, value]) => [value].flat().map((one) => [key, one]))
  const path = name === null ? page : `${page}/${encodeURIComponent(name)}`
  return `#/${path}${pairs.length > 0 ? `?${pairs.map(([key, value]) => `${key}=${readable(value)}`).join("&")}` : ""}`
}

/** Goes to a page. */
export function go(href) {
  location.hash = href
}

/** Has the address say what the page shows, without another step on the way back. */
export function say(href) {
  if (location.hash !== href) history.replaceState(history.state, "", href)
}

/** Percent-encodes what a fragment's query must not hold, sparing what people like to read. */
const readable = (text) => encodeURIComponent(text).replace(/%(2A|2F|3A|2C)/g, decodeURIComponent)

function divided(text, mark) {
  const index = text.indexOf(mark)
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
