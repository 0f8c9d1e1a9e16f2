/* The preview of the brand follows what is typed, before it is saved. */
import { find, findAll, targetOf } from "./app/dom";

const pauseMs = 150;
let timer: number | undefined;

addEventListener("input", (event) => {
  const form = targetOf(event).closest<HTMLFormElement>("#form-brand");
  if (!form) return;
  const [accent, picker] = [
    find<HTMLInputElement>("[name=brandAccent]", form),
    find<HTMLInputElement>("[type=color]", form),
  ];
  if (accent && picker && event.target === picker) {
    accent.value = picker.value;
    accent.dispatchEvent(new Event("input", { bubbles: true })); // the save bar names its field
  } else if (accent && picker && /^#[0-9a-f]{6}$/i.test(accent.value)) picker.value = accent.value;
  clearTimeout(timer);
  timer = setTimeout(() => follow(form), pauseMs);
});

function follow(form: HTMLFormElement) {
  const typed = [...new FormData(form)].filter(([name]) => /^brand[^.]+$/.test(name));
  for (const frame of findAll<HTMLIFrameElement>("#brand-look iframe")) {
    const url = new URL(frame.src);
    for (const [name, value] of typed) url.searchParams.set(name, String(value));
    frame.contentWindow?.location.replace(url); // setting src would add to the history
  }
}
