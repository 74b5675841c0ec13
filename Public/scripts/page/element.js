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

/** What joins emoji, and letters of scripts that need it, is spared where it does not follow a letter of ASCII. */
const unseen = /(?<=[\0-\x7f]|^)[\u200c\u200d\ufe00-\ufe0f]|(?![\u200c\u200d\ufe00-\ufe0f])[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Text of strangers as it can be shown: what cannot be seen (Unicode Standard Annex 44) or turns the direction of the text around
 * it (Annex 9) is written out, so that nobody's topic looks like another's.
 */
export function shown(text) {
  return text.replace(unseen, (mark) => {
    const digits = mark.codePointAt(0).toString(16)
    return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`
  })
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
