import { type Context, find, findAll, isPoll, onHtmx } from "./dom";

const toasts = find("#toasts");

/**
 * Success messages disappear after six seconds in sight, or ten if there is something to press, but not while the user
 * interacts with them, or cannot reach them because of a dialog. They leave from the top, so that none of the others
 * moves.
 */
function expire(toast: HTMLElement) {
  if (toast.dataset.toast !== "good") return;
  const leave = () => {
    const isKept = document.hidden || toast.matches(":hover, :focus-within") || find("dialog[open]");
    if (isKept || find("#toasts > [data-toast=good]") !== toast) setTimeout(leave, 2_000);
    else toast.remove();
  };
  const readingMs = find("form, a", toast) ? 10_000 : 6_000;
  requestAnimationFrame(() => setTimeout(leave, readingMs)); // a slow machine paints it later, a hidden page not at all
}

if (toasts) {
  findAll(".toast", toasts).forEach(expire);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof HTMLElement) expire(node);
    findAll(".toast", toasts)
      .slice(0, -3)
      .forEach((old) => old.remove());
  }).observe(toasts, { childList: true });
}

/** Whether a request is what a form sends. */
const isSentBy = (form: HTMLFormElement, { method, action, body }: Context["request"]) =>
  method === "POST" &&
  form.getAttribute("action") === action &&
  [...new FormData(form)].every(([name, value]) => name.startsWith("_") || body.getAll(name).join() === value);

/**
 * What a notice offers to undo is not offered again once it has been asked for: by its own button, or by another one on
 * the page that sends the same. It leaves with the swap, after which the focus is somewhere else.
 */
const spent: Element[] = [];
onHtmx("before:swap", ({ request, response }) => {
  if (!response || response.status >= 400) return;
  spent.push(...findAll<HTMLFormElement>("#toasts form").filter((form) => isSentBy(form, request)));
});
onHtmx("after:swap", () => spent.splice(0).forEach((form) => form.closest(".toast")?.remove()));

/**
 * Shows what the server could provide no message for, once however often it occurs. In an open dialog if there is one,
 * because everything behind it is dimmed and inert.
 */
export function showNotice(text: string, kind: "good" | "bad"): void {
  findAll(".toast")
    .filter((toast) => find("p", toast)?.textContent === text)
    .forEach((toast) => toast.remove());
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.dataset.toast = kind;
  toast.role = kind === "bad" ? "alert" : "status";
  const words = document.createElement("p");
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn sm";
  close.dataset.dismissToast = "";
  close.textContent = "Dismiss";
  toast.append(words, close);
  (find("dialog[open]") ?? toasts)?.append(toast);
}

const showError = (text: string) => showNotice(text, "bad");

onHtmx("response:error", (context) => {
  const { response } = context;
  if (!response || isPoll(context) || response.headers.has("HX-Redirect")) return;
  const { status, headers } = response;
  if (status === 409 || status === 422) return;
  const wait = headers.get("Retry-After"); // a proxy sends neither
  const details = [status, headers.get("X-Request-Id")].filter(Boolean).join(", ");
  if (status === 429)
    showError(`Too many requests. Try again ${wait ? `in ${wait} ${wait === "1" ? "second" : "seconds"}` : "later"}.`);
  else if (status === 403) showError("This page has expired. Nothing was changed. Reload it and try again.");
  else showError(`Nothing was saved. Try again. (${details})`);
});
addEventListener("htmx:error", (event) => {
  const { ctx } = event.detail;
  if (ctx && isPoll(ctx)) return;
  const mayBeSaved = ctx?.request.signal?.reason === "timeout" && ctx.request.method !== "GET";
  showError(
    mayBeSaved
      ? "No response for ten minutes. Reload the page to see whether this was saved."
      : "The server could not be reached. Check your connection and try again.",
  );
});
