/**
 * Unsaved text with its time, kept in this browser so that a crash or an expired session loses nothing. It is offered
 * only to the manager who typed it, and app.ts deletes it on sign-out, because someone else may use the browser next.
 */
export type Copy = { at: number; fields: Record<string, string> };

export const form = () => document.querySelector<HTMLFormElement>("form:has([data-mdx])");
/** The form's own URL: `form.action` would be a field of that name. */
export const addressOf = (post: HTMLElement) => post.getAttribute("action") ?? "";

const prefix = "postroom ";
const maxAgeMs = 30 * 86_400_000; // how long a copy is kept
const keyOf = (address: string) =>
  `${prefix}${document.querySelector<HTMLElement>("[data-manager]")?.dataset.manager} ${address}`;
const own = new Set(["_token", "version", "zone", "keepDraft", "was"]);

export const fieldsOf = (form: HTMLFormElement): Record<string, string> => {
  const all = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(
    all.filter(([name]) => !own.has(name) && !/stamp$/.test(name)).map(([name, value]) => [name, lf(value)]),
  );
};
const lf = (text: string) => text.replace(/\r\n?/g, "\n");

/** If the storage is full or forbidden, there is no copy; the drafts on the server remain. */
const ignoringErrors = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};

/** Returns whether there is a copy now. */
export const keep = (address: string, form: HTMLFormElement): boolean =>
  ignoringErrors(() => {
    localStorage.setItem(keyOf(address), JSON.stringify({ at: Date.now(), fields: fieldsOf(form) }));
    return true;
  }) ?? false;

export const forget = (address: string) => ignoringErrors(() => localStorage.removeItem(keyOf(address)));

/** Returns the copy if it differs from the form. */
export function differing(address: string, form: HTMLFormElement): Copy | undefined {
  const copy = ignoringErrors(() => JSON.parse(localStorage.getItem(keyOf(address)) ?? "null") as Copy | null);
  const now = fieldsOf(form);
  return copy && Object.keys(now).some((name) => (copy.fields[name] ?? "") !== now[name]) ? copy : undefined;
}

/** Deletes abandoned copies. */
export function clear(): void {
  for (const key of Object.keys(ignoringErrors(() => localStorage) ?? {})) {
    const copy = key.startsWith(prefix) && ignoringErrors(() => JSON.parse(localStorage[key] as string) as Copy);
    if (copy && copy.at < Date.now() - maxAgeMs) localStorage.removeItem(key);
  }
}

/** Formats the time in the manager's time zone, which may differ from this machine's. */
export const clock = () => ({
  timeZone: document.querySelector<HTMLInputElement>("[name=zone]")?.value || "UTC",
});

/**
 * Shows unsaved text from this browser, but not next to the server's offer, which differs by at most ten seconds.
 * Returns it.
 */
export function showOffer(): Copy | undefined {
  const post = form();
  const note = document.querySelector<HTMLElement>("#copy-offer");
  const when = note?.querySelector("[data-when]");
  if (!post || !note || !when || document.querySelector("#draft-offer")) return;
  const unsaved = differing(addressOf(post), post);
  note.hidden = !unsaved;
  if (unsaved)
    when.textContent = new Date(unsaved.at).toLocaleString("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      ...clock(),
    });
  return unsaved;
}
