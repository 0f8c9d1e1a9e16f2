import { hold, holdKeys, isEarly, isElsewhere, isEmpty } from "./held";

const needsScript =
  "a:is([hx-get], [hx-target], [data-palette], [href^='#']), button[type=button]:not([popovertarget])";

addEventListener(
  "click",
  (event) => {
    if (!isEarly() || !event.isTrusted) return;
    const control = (event.target as Element).closest<HTMLElement>("a[href], button, input");
    if (!control || !waits(control, event)) return;
    hold(event, () => control.dispatchEvent(new MouseEvent("click", event)));
    isElsewhere(control);
    if (control.matches("[data-palette], [data-tool]")) holdKeys(); // the next keys are for what it opens or inserts
  },
  true,
);

/** Whether a click has to wait for the scripts. So do ordinary links: earlier actions would be lost with the page. */
function waits(control: HTMLElement, event: MouseEvent): boolean {
  if (control.matches("a")) {
    const isForElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || control.matches("[target], [download]");
    return !isForElsewhere && (control.matches(needsScript) || !isEmpty());
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
    if (!isEarly() || !event.isTrusted) return;
    const { submitter } = event;
    const form = event.target as HTMLFormElement;
    if (submitted.has(form)) return event.preventDefault();
    submitted.add(form);
    hold(event, () => form.requestSubmit(submitter));
  },
  true,
);
