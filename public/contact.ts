/*
 * What is typed into a reply stays in this browser until it is sent, while other messages are read. Ctrl+Enter sends it,
 * and a snippet is inserted where the caret is.
 */
import { find, onHtmx } from "./app/dom";

{
  const field = () => find<HTMLTextAreaElement>("#reply-text");
  const nameOf = ({ dataset }: HTMLTextAreaElement) => `postroom reply ${dataset.draft ?? ""}`;

  /** Without storage, nothing is kept. */
  function keep(text: HTMLTextAreaElement) {
    try {
      if (text.value) localStorage.setItem(nameOf(text), text.value);
      else localStorage.removeItem(nameOf(text));
    } catch {}
  }

  /** What the server has sent comes first: it was typed later. */
  function restore() {
    const text = field();
    if (!text || text.value || text.defaultValue) return;
    try {
      text.value = localStorage.getItem(nameOf(text)) ?? "";
    } catch {}
  }

  restore();

  addEventListener("input", ({ target }) => {
    if (target instanceof HTMLTextAreaElement && target === field()) keep(target);
  });

  let sending: string | undefined;
  onHtmx("before:request", ({ sourceElement }) => {
    const text = field();
    if (text && sourceElement.id === "composer") sending = nameOf(text);
  });
  /** Sent: what replaced the form is empty. If it was refused, or is not done yet, the text is there again. */
  onHtmx("after:swap", ({ sourceElement }) => {
    const text = field();
    if (text?.value) keep(text);
    else if (sending && sourceElement.id === "composer") localStorage.removeItem(sending);
    sending = undefined;
    restore();
  });

  addEventListener("keydown", (event) => {
    const text = field();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.target !== text || !text) return;
    event.preventDefault();
    text.form?.requestSubmit(find<HTMLButtonElement>("#reply-send"));
  });

  addEventListener(
    "click",
    (event) => {
      const button = event.target instanceof Element && event.target.closest<HTMLButtonElement>("[data-insert]");
      const text = field();
      if (!button || !text) return;
      event.preventDefault();
      find("#snippet-menu")?.hidePopover();
      text.focus();
      text.setRangeText(button.dataset.insert ?? "", text.selectionStart, text.selectionEnd, "end");
      keep(text);
    },
    true,
  );
}
