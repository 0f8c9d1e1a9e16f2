import { hold, holdKeys, holdsKeys, isEarly, isElsewhere } from "./held";

const editable = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])";

addEventListener(
  "keydown",
  (event) => {
    const { target } = event;
    if (!isEarly() || !event.isTrusted || event.isComposing || !(target instanceof Element)) return;
    if (!(holdsKeys() ? isKept(event, target) : isOfScripts(event, target))) return;
    holdKeys(); // the next keys may be for a field that this one opens
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
