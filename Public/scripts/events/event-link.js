import { credential } from "../http/credential.js"
import { eventsPath } from "../http/curl.js"
import { hubURL } from "../http/hub.js"
import { element } from "../page/element.js"

/**
 * A link to the data of an event, in a tab of its own.
 *
 * @returns {HTMLAnchorElement | null} Null with a credential: a link could only show it in its URL.
 */
export function eventLink({ topic, id }, properties, ...children) {
  if (credential.token !== null) return null
  const href = hubURL(`${eventsPath(topic)}/${encodeURIComponent(id)}`)
  return element("a", { ...properties, href, target: "_blank", rel: "noopener" }, ...children)
}
