import { bodyOf } from "../http/body.js"
import { eventsPath } from "../http/curl.js"
import { request } from "../http/request.js"
import { dataView } from "../json/json-view.js"
import { copiesOnClick } from "../page/copying.js"
import { element, icon } from "../page/element.js"
import { byteCount } from "../page/format.js"
import { routeHref } from "../navigation/route.js"
import { readEvent } from "../stream/hub-event.js"
import { eventLink } from "./event-link.js"
import { eventHref } from "./event-route.js"

/**
 * Everything known of one event, its data laid out.
 *
 * @param {import("../stream/hub-event.js").HubEvent} event
 */
export function eventDetail(event) {
  const members = element("dl", { class: "event-members" })
  const show = (attributes) => members.replaceChildren(...memberList(event, attributes))
  show(event.attributes ?? [])
  if (event.attributes === null) attributesOf(event).then(show, () => {})
  const copying = element("button", { type: "button", class: "button button-quiet" },
    icon("copy"), element("span", { class: "label" }, "Copy data"))
  copiesOnClick(copying, () => event.data)
  return element("div", { class: "event-detail" },
    element("pre", { class: "event-body", tabindex: "0", "aria-label": "Data" }, dataView(event.data)),
    members,
    event.topic && event.id
      ? element("p", { class: "event-places" },
        element("a", { href: eventHref(event) }, "Link to this event"),
        element("a", { href: routeHref("topics", event.topic) }, "The topic"))
      : null,
    element("div", { class: "event-actions" },
      copying,
      event.topic && event.id ? eventLink(event, { class: "button button-quiet" }, icon("open"), "Open") : null,
      element("span", { class: "event-size" }, sizeOf(event))))
}

function memberList(event, attributes) {
  return [
    ["Topic", event.topic],
    ["Type", event.type],
    ["Content type", event.contentType],
    ["Committed", event.time],
    ["Arrived", event.arrivedAt === null ? null : new Date(event.arrivedAt).toISOString()],
    ["Id", event.id],
    // Named as what they are, so that nobody takes them for the hub's own.
    ...attributes.map(([name, value]) => [`CloudEvent ${name}`, value]),
  ].filter(([, value]) => value).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))
}

/** History does not tell what the poster of a CloudEvent says of it; the event itself does. */
async function attributesOf({ topic, id }) {
  const response = await request(`${eventsPath(topic)}/${encodeURIComponent(id)}`, { headers: { Accept: "application/cloudevents+json" } })
  return readEvent({ id, type: "message", data: await bodyOf(response, "text"), arrivedAt: null }).attributes
}

function sizeOf({ data, isBinary }) {
  if (!isBinary) return byteCount(new TextEncoder().encode(data).length)
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  return `${byteCount((data.length / 4) * 3 - padding)}, shown as base64`
}
