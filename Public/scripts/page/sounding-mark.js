const stillness = matchMedia("(prefers-reduced-motion: reduce)")
/** Under a steady flow the horn still draws breath; a mark that never rests would only distract. */
const breath = 2_000
let lastSound = -breath

/** Lets the horn in the page's head sound once: an event has come. */
export function soundMark() {
  const now = performance.now()
  if (now - lastSound < breath || stillness.matches) return
  lastSound = now
  const dots = document.querySelectorAll(".mark circle")
  for (const [index, dot] of dots.entries()) {
    dot.animate(
      [
        { transform: "none", opacity: 1 },
        { transform: "translateX(7px) scale(0.6)", opacity: 0, offset: 0.55 },
        { transform: "translateX(-9px) scale(0.4)", opacity: 0, offset: 0.56 },
        { transform: "none", opacity: 1 },
      ],
      { duration: 620, delay: index === 1 ? 0 : 90, easing: "ease-out" },
    )
  }
}
