/**
 * On a narrow screen one part of the page is shown at a time; these buttons choose which.
 *
 * @param {Iterable<HTMLButtonElement>} buttons Each names its view in `data-shows`.
 * @param {HTMLElement} page Carries the chosen view in `data-view`, for the style sheet.
 */
export function chooseViews(buttons, page) {
  for (const button of buttons) {
    button.addEventListener("click", () => {
      page.dataset.view = button.dataset.shows
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button))
      scrollTo({ top: 0 })
    })
  }
}
