import { eventsHref } from "../events/event-route.js"
import { routeHref } from "../navigation/route.js"
import { element, setText } from "../page/element.js"
import { age, byteCount, counted } from "../page/format.js"

/** A topic in the list of all. */
export class TopicRow {
  topic
  isInView = false
  #events = element("span", { class: "row-number" })
  #bytes = element("span", { class: "row-number" })
  #observers = element("span", { class: "row-number" })
  #last = element("span", { class: "row-last" })
  element

  constructor(topic) {
    this.element = element("li", { class: "row topic-row" },
      element("span", { class: "row-text" },
        element("a", { class: "row-name", href: routeHref("topics", topic.name) }, topic.name)),
      this.#events, this.#bytes, this.#observers, this.#last)
    this.#events.append(element("a", { href: eventsHref({ patterns: [topic.name] }) }))
    this.show(topic)
  }

  show(topic) {
    this.topic = topic
    const observers = Object.values(topic.observers).reduce((sum, number) => sum + number, 0)
    setText(this.#events.firstChild, counted(topic.events, "event"))
    setText(this.#bytes, byteCount(topic.bytes))
    setText(this.#observers, observers === 0 ? "nobody" : counted(observers, "observer"))
    this.#observers.title = Object.entries(topic.observers).filter(([, number]) => number > 0).map(([kind, number]) => counted(number, kind)).join(", ")
    this.#observers.classList.toggle("is-none", observers === 0)
  }

  showTime(time) {
    setText(this.#last, `${age(time)} ago`)
    this.#last.title = time
  }
}
