import { element } from "../page/element.js"

/** A word of the hub or the page about the stream itself. */
export class NoticeRow {
  event = null
  isOpen = false
  size = 0

  constructor(title, detail) {
    this.element = element("li", { class: "notice" },
      element("p", { class: "event-row", tabindex: "-1" }, element("strong", {}, title), " ", detail))
  }

  focus() {
    this.element.firstElementChild.focus()
  }
}
