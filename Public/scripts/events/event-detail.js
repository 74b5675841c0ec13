import { dataView } from "../json/json-view.js"
import { copiesOnClick } from "../page/copying.js"
import { element, icon } from "../page/element.js"
import { byteCount } from "../page/format.js"
import { eventLink } from "./event-link.js"

/**
 * Everything known of one event, its data laid out.
 *
 * @param {import("../stream/hub-event.js").HubEvent} event
 */
export function eventDetail(event) {
  const members = [
    ["Topic", event.topic],
    ["Type", event.type],
    ["Content type", event.contentType],
    ["Committed", event.time],
    ["Arrived", new Date(event.arrivedAt).toISOString()],
    ["Id", event.id],
    // Named as what they are, so that nobody takes them for the hub's own.
    ...event.attributes.map(([name, value]) => [`CloudEvent ${name}`, value]),
  ].filter(([, value]) => value)
  const copying = element("button", { type: "button", class: "button button-quiet" },
    icon("copy"), element("span", { class: "label" }, "Copy data"))
  copiesOnClick(copying, () => event.data)
  return element("div", { class: "event-detail" },
    element("pre", { class: "event-body", tabindex: "0", "aria-label": "Data" }, dataView(event.data)),
    element("dl", { class: "event-members" }, ...members.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
    element("div", { class: "event-actions" },
      copying,
      event.topic && event.id
        ? eventLink(event, { class: "button button-quiet" }, icon("open"), "Open")
        : null,
      element("span", { class: "event-size" }, sizeOf(event))))
}

function sizeOf({ data, isBinary }) {
  if (!isBinary) return byteCount(new TextEncoder().encode(data).length)
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  return `${byteCount((data.length / 4) * 3 - padding)}, shown as base64`
}
