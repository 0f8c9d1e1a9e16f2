import { isEarly, later } from "./held";

/** Typed text and choices show immediately. Their events are repeated for the scripts once these are there, in order. */
let last: string | undefined;
let lastTarget: EventTarget | null = null;

for (const type of ["input", "change"])
  addEventListener(
    type,
    ({ target, isTrusted }) => {
      if (!isEarly() || !isTrusted || (type === last && target === lastTarget)) return;
      [last, lastTarget] = [type, target];
      later(() => target?.dispatchEvent(new Event(type, { bubbles: true })));
      hasUnsaved ||= (target as Element).closest("form[data-guard]") !== null;
    },
    true,
  );

let hasUnsaved = false;

/** Once the scripts are there, public/app/forms.ts does this. */
addEventListener("beforeunload", (event) => {
  if (isEarly() && hasUnsaved) event.preventDefault();
});
