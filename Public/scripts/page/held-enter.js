/**
 * Has Enter do its work once for each time that it is pressed. Held down it comes again and again, and would answer the
 * question whether something is really to be done, which takes the focus or the place of what was pressed.
 */
export function ignoreHeldEnter() {
  addEventListener("keydown", (event) => {
    if (event.repeat && event.key === "Enter" && !event.target.matches("textarea")) event.preventDefault()
  })
}
