import { open } from "./dialogs";
import { find, onHtmx } from "./dom";
import { announce } from "./notices";
import { controlNear, place } from "./rows";

let said = "";

/** Focus never falls to the body: to what asks for it, else where it was, else the same row, else the heading. */
onHtmx("after:swap", () => {
  const dialog = find<HTMLDialogElement>("#dialog dialog");
  if (dialog && !dialog.open) open(dialog);
  const wanted = find("[data-focus]", dialog ?? document);
  if (wanted) {
    wanted.removeAttribute("data-focus");
    wanted.focus();
  } else if (document.activeElement === document.body || !document.activeElement) {
    const same = place?.id ? document.getElementById(place.id) : null;
    const target = same ?? (place && controlNear(place.row)) ?? find("h1");
    target?.setAttribute("tabindex", target.matches("h1") ? "-1" : (target.getAttribute("tabindex") ?? "0"));
    target?.focus();
  }
  const result = find("[data-announce]")?.textContent ?? "";
  if (result !== said && place?.id === "q") announce(result);
  said = result;
});
