import { element, setText } from "./element.js"

/**
 * A button for what cannot be undone: it asks once, and forgets the question when the focus leaves it or Escape is pressed.
 * The second click of a double one is no answer.
 *
 * @param {{label: string, question: string, onConfirm: () => void, class?: string}} options
 */
export function confirmedButton({ label, question, onConfirm, class: name = "" }) {
  let isAsked = false
  const ask = (asked) => {
    isAsked = asked
    setText(button, asked ? question : label)
    button.classList.toggle("button-danger", asked)
  }
  const button = element("button", {
    type: "button", class: `button button-quiet ${name}`.trim(),
    onclick: ({ detail }) => {
      // How many in a row; none from the keyboard.
      if (detail > 1) return
      ask(!isAsked)
      if (!isAsked) onConfirm()
    },
    onblur: () => ask(false),
    onkeydown: (event) => event.key === "Escape" && ask(false),
  }, label)
  return button
}
