const stillness = matchMedia("(prefers-reduced-motion: reduce)")
let sounding = false

/** Lets the horn in the page's head sound once: an event has come. */
export function soundMark() {
  if (sounding || stillness.matches) return
  sounding = true
  const dots = document.querySelectorAll(".mark circle")
  const animations = Array.from(dots, (dot, index) =>
    dot.animate(
      [
        { transform: "none", opacity: 1 },
        { transform: "translateX(7px) scale(0.6)", opacity: 0, offset: 0.55 },
        { transform: "translateX(-9px) scale(0.4)", opacity: 0, offset: 0.56 },
        { transform: "none", opacity: 1 },
      ],
      { duration: 620, delay: [90, 0, 90][index] ?? 0, easing: "ease-out" },
    ))
  Promise.allSettled(animations.map((animation) => animation.finished)).then(() => {
    sounding = false
  })
}
