import { copiesOnClick } from "../page/copying.js"
import { element, icon } from "../page/element.js"

/**
 * Shows signing secrets, the only time that they can be seen: each stays, whatever else is done on the page, until it is
 * dismissed. They are kept in the document alone.
 */
class SecretTray {
  #place = document.getElementById("secrets")

  /** @param {{id: string, url?: string, secret: string}} webhook As the hub answered with it. */
  add({ id, url, secret }) {
    const copying = element("button", { type: "button", class: "button" }, icon("copy"), element("span", { class: "label" }, "Copy secret"))
    copiesOnClick(copying, () => secret)
    const focused = document.activeElement
    const dismiss = () => {
      card.remove()
      if (focused?.isConnected) focused.focus()
    }
    for (const former of this.#place.querySelectorAll(`[data-webhook="${CSS.escape(id)}"] strong`)) {
      former.textContent = "The former signing secret of "
    }
    const card = element("div", { class: "secret", role: "group", "aria-label": `The secret of ${id}`, "data-webhook": id },
      element("p", {}, element("strong", {}, "The signing secret of "), element("a", { href: `#/webhooks/${encodeURIComponent(id)}` }, id),
        url ? element("span", { class: "secret-url clamped", title: url }, url) : null),
      element("p", {}, "It is shown only now. Your service verifies every delivery with it."),
      element("code", { class: "secret-text" }, secret),
      element("div", { class: "secret-actions" }, copying,
        element("button", { type: "button", class: "button button-quiet", onclick: dismiss }, "I have kept it")))
    this.#place.prepend(card)
    copying.focus()
  }
}

export const secretTray = new SecretTray()
