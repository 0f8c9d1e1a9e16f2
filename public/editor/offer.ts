import { addressOf, type Copy, differing, form } from "./copy";

/** Formats the time in the manager's time zone, which may differ from this machine's. */
export const clock = () => ({
  timeZone: document.querySelector<HTMLInputElement>(".post-form [name=zone]")?.value || "UTC",
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
