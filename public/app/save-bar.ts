/*
 * While something in a form is changed, its row with Save stays at the lower edge of the window, says what has changed,
 * and can discard it. One form at a time: the one that was changed last. Ctrl or Cmd and S saves it. Without a script,
 * the row stands below the fields.
 */
import { type Control, controlsOf, forgetUnsaved, isChanged } from "./forms";
import { clickUnderWay } from "./press";
import { find, findAll, onHtmx, targetOf } from "./dom";

const formsWithBar = "form[data-guard]:has(.save)";

/** The legend of a group names all its boxes. */
function labelOf(control: Control): string {
  const legend = control.type === "radio" ? find("legend", control.closest("fieldset") ?? control) : null;
  const label = legend ?? control.labels?.[0];
  const words = [...(label?.childNodes ?? [])].find(({ textContent }) => textContent?.trim());
  return words?.textContent?.trim() ?? control.getAttribute("aria-label") ?? "text";
}

const changesIn = (form: HTMLFormElement): string[] => [...new Set(controlsOf(form).filter(isChanged).map(labelOf))];

const list = new Intl.ListFormat("en-GB");

function sentence(labels: string[]): string {
  const named = labels.length > 3 ? [...labels.slice(0, 2), `${labels.length - 2} more`] : labels;
  return `Unsaved: ${list.format(named)}`;
}

/** The row at the lower edge, what it says, and what keeps its place in the form. */
let bar: { form: HTMLFormElement; row: HTMLElement; words: HTMLElement; rest: HTMLElement[] } | undefined;

function show(form: HTMLFormElement, labels: string[]) {
  if (bar && bar.form !== form) hide();
  bar ??= build(form);
  if (bar && bar.words.textContent !== sentence(labels)) bar.words.textContent = sentence(labels);
}

function build(form: HTMLFormElement): typeof bar {
  const row = find(".save", form);
  if (!row) return undefined;
  const place = document.createElement("div");
  place.style.blockSize = `${row.offsetHeight}px`;
  const words = document.createElement("p");
  words.role = "status";
  const discard = document.createElement("button");
  discard.type = "button";
  discard.className = "btn quiet";
  discard.textContent = "Discard";
  discard.addEventListener("click", () => undo(form));
  row.after(place);
  row.prepend(words);
  find("[type=submit]", row)?.before(discard);
  row.dataset.bar = "";
  document.activeElement?.scrollIntoView({ block: "nearest" }); // it is not covered
  return { form, row, words, rest: [place, words, discard] };
}

function hide() {
  const hadFocus = bar?.rest.some((element) => element === document.activeElement);
  bar?.rest.forEach((element) => element.remove());
  if (bar) delete bar.row.dataset.bar;
  if (hadFocus && bar) controlsOf(bar.form)[0]?.focus();
  bar = undefined;
}

/** The form is as it came. What follows its fields is told as if it had been typed. */
function undo(form: HTMLFormElement) {
  const changed = controlsOf(form).filter(isChanged);
  form.reset();
  for (const control of changed)
    for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
  forgetUnsaved(form);
  showChanges();
  changed[0]?.focus();
}

let latest: HTMLFormElement | undefined;

/** Waits for a click that is under way: a button that moves away between press and release is not clicked. */
function update(): void {
  const click = clickUnderWay();
  if (click) void click.then(showChanges);
  else showChanges();
}

function showChanges() {
  if (bar && !bar.form.isConnected) bar = undefined;
  const forms = findAll<HTMLFormElement>(formsWithBar).filter((form) => !form.closest("dialog"));
  const changed = forms.filter((form) => changesIn(form).length > 0);
  const form = changed.find((one) => one === latest) ?? changed[0];
  if (form) show(form, changesIn(form));
  else hide();
}

for (const name of ["input", "change"])
  addEventListener(name, (event) => {
    const form = targetOf(event).closest<HTMLFormElement>(formsWithBar);
    if (!form) return;
    latest = form;
    update();
  });
addEventListener("pageshow", update); // the browser may have restored what was typed
onHtmx("after:swap", update);

addEventListener("keydown", (event) => {
  const isSave =
    (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s";
  if (!isSave || !bar || find("dialog[open]")) return;
  event.preventDefault();
  bar.form.requestSubmit(find<HTMLButtonElement>("[type=submit]", bar.row));
});

update(); // something may have been typed before this script came
