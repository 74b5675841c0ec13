import { announce } from "./announcer.js"

/**
 * Puts text on the clipboard.
 *
 * The clipboard interface exists only on secure origins, and a hub in the local network often has plain http:
 * there the older way through a selection still works.
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyThroughSelection(text)
  }
}

function copyThroughSelection(text) {
  const focused = document.activeElement
  const area = document.createElement("textarea")
  area.value = text
  area.className = "visually-hidden"
  document.body.append(area)
  area.select()
  const copied = document.execCommand("copy")
  area.remove()
  focused?.focus()
  return copied
}

/** Makes a button copy, and say so for a moment. */
export function copiesOnClick(button, text) {
  const label = button.querySelector(".label")
  const picture = button.querySelector("use")
  const before = label.textContent
  let timer
  button.addEventListener("click", async () => {
    const copied = await copy(text())
    label.textContent = copied ? "Copied" : "Copying failed"
    button.classList.toggle("is-done", copied)
    picture.setAttribute("href", copied ? "#icon-check" : "#icon-cross")
    announce(label.textContent)
    clearTimeout(timer)
    timer = setTimeout(() => {
      label.textContent = before
      button.classList.remove("is-done")
      picture.setAttribute("href", "#icon-copy")
    }, 1_600)
  })
}
