/*
 * The first script of a page, before anything is painted. What is pressed, typed, chosen or dropped before the other
 * scripts are there is kept, and done once they are. Without this file, or if another fails to load, the page does what
 * it does without scripts.
 */
import { showOffer } from "./editor/copy";
import { type Dropped, take } from "./early/dropped";
import { moveTitle } from "./early/titles";

/** What is there from the first paint, which waits for the palette, the last of the page. */
new MutationObserver((_, observer) => {
  if (!document.querySelector("#palette")) return;
  observer.disconnect();
  showOffer();
  moveTitle();
}).observe(document, { childList: true, subtree: true });

const page = document.documentElement;
page.dataset.early = ""; // controls that cannot be kept are off meanwhile
try {
  // What is beside a text, from the first paint
  page.dataset.beside = localStorage.getItem("postroom-beside") ?? "";
  page.dataset.besideEmail = localStorage.getItem("postroom-beside-email") ?? "checks";
} catch {}

// A listener that is added while the event bubbles runs last: when every deferred script has run, and their listeners
document.addEventListener("DOMContentLoaded", () =>
  addEventListener("DOMContentLoaded", () => {
    delete page.dataset.early;
    release();
  }),
);

/** The actions that wait for the scripts, in the order in which people did them. */
const actions: (() => void)[] = [];
let isReady = false;
/** Whether typed keys are kept too, because a kept click or key may open a field for them, such as the palette. */
let keysAreHeld = false;

let place: Element | undefined;

/** Whether the focus has moved since the last kept key or click. If it has not, that key or click may still move it. */
function isElsewhere(at: Element): boolean {
  const isMoved = place !== at;
  place = at;
  return isMoved;
}

/** Keeps an action until the scripts are there. */
const later = (action: () => void): void => void actions.push(action);

/** The same, and keeps the browser from doing anything now. */
function hold(event: Event, action: () => void): void {
  event.preventDefault();
  event.stopImmediatePropagation();
  later(action);
}

function release(): void {
  isReady = true;
  const { activeElement } = document;
  const isMoved = place && activeElement && activeElement !== document.body && isElsewhere(activeElement);
  for (const action of actions.splice(0)) action();
  if (isMoved && activeElement instanceof HTMLElement) activeElement.focus();
}

const needsScript =
  "a:is([hx-get], [hx-target], [data-palette], [href^='#']), button[type=button]:not([popovertarget])";

addEventListener(
  "click",
  (event) => {
    if (isReady || !event.isTrusted) return;
    const control = (event.target as Element).closest<HTMLElement>("a[href], button, input");
    if (!control || !waits(control, event)) return;
    hold(event, () => control.dispatchEvent(new MouseEvent("click", event)));
    isElsewhere(control);
    if (control.matches("[data-palette], [data-tool]")) keysAreHeld = true; // the next keys are for what it opens or inserts
  },
  true,
);

/** Whether a click has to wait for the scripts. So do ordinary links: earlier actions would be lost with the page. */
function waits(control: HTMLElement, event: MouseEvent): boolean {
  if (control.matches("a")) {
    const isForElsewhere =
      event.ctrlKey || event.metaKey || event.shiftKey || control.matches("[target]:not([hx-get]), [download]");
    return !isForElsewhere && (control.matches(needsScript) || actions.length > 0);
  }
  if (control.matches("[name=ids]")) return event.shiftKey || isPickAllHeld;
  if (!control.matches("[data-pick-all]")) return control.matches(needsScript);
  return (isPickAllHeld = true);
}

let isPickAllHeld = false;

/** Forms held, each once: a double click submits once. */
const submitted = new Set<EventTarget>();

addEventListener(
  "submit",
  (event) => {
    if (isReady || !event.isTrusted) return;
    const { submitter } = event;
    const form = event.target as HTMLFormElement;
    if (submitted.has(form)) return event.preventDefault();
    submitted.add(form);
    hold(event, () => form.requestSubmit(submitter));
  },
  true,
);

const editable = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])";

addEventListener(
  "keydown",
  (event) => {
    const { target } = event;
    if (isReady || !event.isTrusted || event.isComposing || !(target instanceof Element)) return;
    if (!(keysAreHeld ? isKept(event, target) : isOfScripts(event, target))) return;
    keysAreHeld = true; // the next keys may be for a field that this one opens
    const focus = isElsewhere(target) ? target : undefined;
    hold(event, () => press(event, focus));
  },
  true,
);

const isPlain = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => !ctrlKey && !metaKey && !altKey;

/** Whether the scripts of the dashboard, and not the browser, know what the key means. */
function isOfScripts(event: KeyboardEvent, target: Element): boolean {
  const { shortcuts } = document.documentElement.dataset;
  const key = event.key.toLowerCase();
  if (shortcuts === undefined || event.altKey) return false;
  if (!isPlain(event)) return key === "k" || (target.closest("[data-autosave]") !== null && writing.has(key));
  if (target.matches("[data-one-line]")) return key === "enter";
  if (target.closest("[data-handle], [role=toolbar]")) return key !== "tab";
  return shortcuts !== "off" && key.length === 1 && key !== " " && !target.closest(editable);
}
const writing = new Set(["s", "b", "i", "[", "]", "enter"]);

const isKept = (event: KeyboardEvent, target: Element) =>
  isPlain(event)
    ? event.key.length === 1 || kept.has(event.key) || (event.key !== "Tab" && !target.closest(editable))
    : isOfScripts(event, target);
const kept = new Set(["Enter", "Backspace", "Escape"]);

/** Presses the key where the focus is by now, unless it was moved elsewhere before. */
function press(event: KeyboardEvent, focus: Element | undefined): void {
  if (focus instanceof HTMLElement) focus.focus();
  const target = document.activeElement ?? document.body;
  if (target.dispatchEvent(new KeyboardEvent("keydown", event)) && isPlain(event)) act(event.key, target);
  document.activeElement?.dispatchEvent(new KeyboardEvent("keyup", event));
}

/** Does what the browser would have done. */
function act(key: string, target: Element): void {
  if (!target.matches(editable)) {
    if ((key === "Enter" || key === " ") && target.matches("a, button, summary")) (target as HTMLElement).click();
  } else if (key.length === 1 && target.matches("[contenteditable]")) typeInto(target, key);
  else if (key.length === 1) document.execCommand("insertText", false, key);
  else if (key === "Backspace") document.execCommand("delete");
  else if (key === "Enter" && target instanceof HTMLTextAreaElement) document.execCommand("insertText", false, "\n");
  else if (key === "Enter" && target instanceof HTMLInputElement) submit(target);
}

/** public/editor/mdx/field.ts puts it in. Its other keys were handled when they were pressed. */
const typeInto = (target: Element, data: string) =>
  target.dispatchEvent(new InputEvent("beforeinput", { inputType: "insertText", data, bubbles: true }));

function submit({ form }: HTMLInputElement): void {
  const button = form && [...form.elements].find((element) => element.matches("[type=submit]"));
  form?.requestSubmit(button as HTMLButtonElement | undefined);
}

/** Typed text and choices show immediately. Their events are repeated for the scripts once these are there, in order. */
let last: string | undefined;
let lastTarget: EventTarget | null = null;

for (const type of ["input", "change"])
  addEventListener(
    type,
    ({ target, isTrusted }) => {
      if (isReady || !isTrusted || (type === last && target === lastTarget)) return;
      [last, lastTarget] = [type, target];
      later(() => target?.dispatchEvent(new Event(type, { bubbles: true })));
      hasUnsaved ||= (target as Element).closest("form[data-guard]") !== null;
    },
    true,
  );

let hasUnsaved = false;

/** Once the scripts are there, public/app/forms.ts does this. */
addEventListener("beforeunload", (event) => {
  if (!isReady && hasUnsaved) event.preventDefault();
});

/*
 * What is dropped where nothing takes it is lost, and not opened instead of the page. Text fields take text, and file
 * inputs take files.
 */
const isTaken = ({ target, dataTransfer }: DragEvent) =>
  (target as Element).closest(
    dataTransfer?.types.includes("Files") ? "input[type=file]" : "textarea, input, [contenteditable]",
  ) !== null;

/** A frame has its own document, which would open the file: while files are dragged, frames are not hit (utilities.css). */
const { dataset } = document.documentElement;
addEventListener("dragenter", ({ dataTransfer }) => {
  if (dataTransfer?.types.includes("Files")) dataset.dragging = "";
});
addEventListener("dragleave", ({ relatedTarget }) => !relatedTarget && delete dataset.dragging);
addEventListener("drop", () => delete dataset.dragging, true);

/** Both, or a drop that follows its dragenter at once, as where the page changed below the pointer, is opened after all. */
for (const type of ["dragenter", "dragover"] as const)
  addEventListener(type, (event) => !isTaken(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (isTaken(event)) return;
  event.preventDefault();
  const { dataTransfer, target } = event;
  if (isReady || !dataTransfer?.types.includes("Files")) return;
  const detail = take(dataTransfer);
  const text = (target as Element).closest("textarea[data-mdx]");
  if (text) later(dropOn(text.id, detail, event));
  else later(() => dispatchEvent(new CustomEvent<Dropped[]>("dropped", { detail })));
});

/** Drops files on the editor, which by then has the ID of its textarea. */
const dropOn =
  (id: string, dropped: Dropped[], { clientX, clientY }: DragEvent) =>
  () => {
    const dataTransfer = new DataTransfer();
    for (const { file } of dropped) if (file) dataTransfer.items.add(file);
    const init = { dataTransfer, clientX, clientY, bubbles: true, cancelable: true };
    document.getElementById(id)?.dispatchEvent(new DragEvent("drop", init));
  };
