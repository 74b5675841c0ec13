/**
 * Makes an element.
 *
 * @param {string} name
 * @param {Record<string, unknown>} properties `class`, attributes by name, and `on…` listeners; false and null are left out.
 * @param {...(Node | string | null)} children
 * @example element("button", { type: "button", onclick: pause }, "Pause")
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value)
    else made.setAttribute(key, value === true ? "" : value)
  }
  made.append(...children.filter((child) => child !== null).map((child) => (typeof child === "string" ? shown(child) : child)))
  return made
}

/**
 * Text of strangers as it can be shown: what turns the direction of the text around it (Unicode Standard Annex 9) is written
 * out, so that nobody's topic looks like another's.
 */
function shown(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)
}

const svg = "http://www.w3.org/2000/svg"

/** An icon out of the page's sprite; decoration, hidden from assistive technology. */
export function icon(name) {
  const picture = document.createElementNS(svg, "svg")
  picture.setAttribute("class", `icon icon-${name}`)
  picture.setAttribute("aria-hidden", "true")
  const use = document.createElementNS(svg, "use")
  use.setAttribute("href", `#icon-${name}`)
  picture.append(use)
  return picture
}

/** Sets an element's text only where it differs: writing the same text again would still cost a layout. */
export function setText(node, text) {
  const written = shown(text)
  if (node.textContent !== written) node.textContent = written
}

/** Sets the text of an element that shows a few lines of it (`clamped` in the style sheet); its title has the whole. */
export function setClampedText(node, text) {
  setText(node, text)
  if (node.title !== text) node.title = text
}
