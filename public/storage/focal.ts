import { targetOf } from "../app/dom";

/*
 * The focal point on the page of a picture: a click on it moves the sliders, and the crops follow. Without this script,
 * they do so when the form is saved.
 */
const axes = ["focalX", "focalY"] as const;
const slider = (name: (typeof axes)[number]) => document.querySelector<HTMLInputElement>(`#describe [name=${name}]`);

function follow(): void {
  const [x = "50", y = "50"] = axes.map((name) => slider(name)?.value);
  for (const one of document.querySelectorAll<HTMLElement>(".crops .focal, .focal-mark")) {
    one.style.setProperty("--fx", `${x}%`);
    one.style.setProperty("--fy", `${y}%`);
  }
}

addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.closest(".focal-point")) follow();
});

addEventListener("click", (event) => {
  const picture = targetOf(event).closest(".focal-area img");
  if (!picture) return;
  const { left, top, width, height } = picture.getBoundingClientRect();
  const at = { focalX: (event.clientX - left) / width, focalY: (event.clientY - top) / height };
  for (const name of axes) {
    const input = slider(name);
    if (input) input.value = String(Math.round(at[name] * 100)); // it rounds to its step
  }
  follow();
  slider("focalX")?.dispatchEvent(new Event("input", { bubbles: true }));
});
