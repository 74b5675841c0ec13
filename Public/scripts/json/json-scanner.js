/**
 * Splits JSON text into its tokens without changing a character of them, so that numbers keep all their digits.
 *
 * @param {string} text Valid JSON; of anything else the tokens are unspecified, but the scan ends.
 * @returns {Generator<{kind: "punctuation" | "string" | "number" | "literal", text: string, start: number}>}
 */
export function* tokens(text) {
  let index = 0
  while (index < text.length) {
    const character = text[index]
    if (" \t\r\n".includes(character)) {
      index += 1
      continue
    }
    const start = index
    let kind = "literal"
    if ("{}[],:".includes(character)) {
      kind = "punctuation"
      index += 1
    } else if (character === '"') {
      kind = "string"
      index = endOfString(text, index)
    } else {
      if (character === "-" || (character >= "0" && character <= "9")) kind = "number"
      index += 1
      while (index < text.length && !' \t\r\n{}[],:"'.includes(text[index])) index += 1
    }
    yield { kind, text: text.slice(start, index), start }
  }
}

/** The index after the closing quote. A loop, not a pattern: a string may be a megabyte long. */
export function endOfString(text, start) {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}
