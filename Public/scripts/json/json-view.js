import { setText, shown } from "../page/element.js"
import { tokens } from "./json-scanner.js"

/** Beyond this many characters data is shown unformatted and cut off: a node per token has its price. */
const formattedLength = 100_000
/** Lines are indented no farther: what is nested deeply would become as long as the square of its depth. */
const deepestIndent = 30

/**
 * Data, indented and coloured if it is JSON, as it is if not.
 *
 * @param {string} data
 * @returns {DocumentFragment}
 */
export function dataView(data) {
  const view = document.createDocumentFragment()
  if (data.length > formattedLength) {
    view.append(shown(data.slice(0, formattedLength)), "…")
  } else if (isStructure(data)) {
    appendJSON(view, data)
  } else {
    view.append(shown(data))
  }
  return view
}

function isStructure(text) {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function appendJSON(view, text) {
  const all = [...tokens(text)]
  let depth = 0
  const lineBreak = () => "\n" + "  ".repeat(Math.min(depth, deepestIndent))
  all.forEach((token, index) => {
    const next = all[index + 1]
    if (token.kind !== "punctuation") {
      const isName = token.kind === "string" && next?.text === ":"
      view.append(coloured(isName ? "name" : token.kind, token.text))
      return
    }
    const previous = all[index - 1]
    switch (token.text) {
      case "{":
      case "[":
        depth += 1
        view.append(token.text, next?.text === closing(token.text) ? "" : lineBreak())
        break
      case "}":
      case "]":
        depth -= 1
        view.append(previous?.text === opening(token.text) ? "" : lineBreak(), token.text)
        break
      case ",":
        view.append(",", lineBreak())
        break
      default:
        view.append(": ")
    }
  })
}

const closing = (bracket) => (bracket === "{" ? "}" : "]")
const opening = (bracket) => (bracket === "}" ? "{" : "[")

function coloured(kind, text) {
  const span = document.createElement("span")
  span.className = `json-${kind}`
  setText(span, text)
  return span
}
