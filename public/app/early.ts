import { find } from "./dom";

/** What was typed or opened before htmx was there is sent now: it heard nothing of it. */
addEventListener(
  "htmx:after:process",
  () => {
    const field = find<HTMLInputElement>(".filters .input");
    if (field && field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
    find("#palette[open] form")?.dispatchEvent(new Event("palette"));
  },
  { once: true },
);
