/*
 * What is typed into a reply stays in this browser until it is sent, while other messages are read. Ctrl+Enter sends it,
 * and a snippet is inserted where the caret is.
 */
import { find, onHtmx } from "./app/dom";

{
  const field = () => find<HTMLTextAreaElement>("#reply-text");
  const nameOf = ({ dataset }: HTMLTextAreaElement) => `postroom reply ${dataset.draft ?? ""}`;

  const keyOf = ({ form }: HTMLTextAreaElement) => find<HTMLInputElement>("[name=key]", form ?? document)?.value ?? "";

  /** With the ID that the reply will have, so that a page which shows it tells that it was sent. */
  function keep(text: HTMLTextAreaElement) {
    try {
      if (text.value) localStorage.setItem(nameOf(text), JSON.stringify([keyOf(text), text.value]));
      else localStorage.removeItem(nameOf(text));
    } catch {} // without storage, nothing is kept
  }

  /** Returns what is kept of a reply that was not sent, and the ID it would have. */
  function keptOf(text: HTMLTextAreaElement): { key: string; words: string } | undefined {
    try {
      const [key, words]: string[] = JSON.parse(localStorage.getItem(nameOf(text)) ?? "[]");
      if (!key || !words) return;
      if (!document.getElementById(`entry-${key}`)) return { key, words };
      localStorage.removeItem(nameOf(text));
      if (text.value === words) text.value = text.defaultValue;
    } catch {}
    return;
  }

  /** The field, and whose reply it has. A swap may turn it into the field of another message, and leaves its value. */
  let current: { text: HTMLTextAreaElement; name: string; key: string } | undefined;

  /** What the server has sent comes first: it was typed later. */
  function restore() {
    const text = field();
    if (text && text === current?.text && nameOf(text) !== current.name) text.value = text.defaultValue;
    const before = current;
    current = text ? { text, name: nameOf(text), key: keyOf(text) } : undefined;
    if (!text) return;
    const kept = keptOf(text);
    if (!text.defaultValue) text.value ||= kept?.words ?? "";
    else if (current?.key !== before?.key) receive(text, kept);
  }

  /**
   * Keeps what the server has sent to be written on, which it has no more: the next answer has an empty field. A reply
   * that was taken back comes before what was typed since.
   */
  function receive(text: HTMLTextAreaElement, kept: ReturnType<typeof keptOf>) {
    const isOther = kept && kept.key !== keyOf(text) && !text.defaultValue.includes(kept.words.trim());
    if (isOther) text.value = `${text.defaultValue}\n\n${kept.words}`;
    keep(text);
  }

  /** Which message is open, and where its conversation ends. */
  let opened = { message: "", newest: "" };

  /** Shows the newest of a conversation that is opened, and what was written. Who reads on is left where they are. */
  function showNewest() {
    const last = find(".thread > li:last-child");
    const next = { message: field()?.dataset.draft ?? "", newest: last?.id ?? "" };
    const isOurs = last?.matches(".ours, .note-entry");
    const isNew = next.message !== opened.message || (isOurs && next.newest !== opened.newest);
    if (last && next.newest && isNew) show(last);
    opened = next;
  }

  /**
   * Scrolls to the end of an entry, or to the beginning of one that is higher than its room. Not to the nearest: an entry
   * that is in sight but for the reply in front of it would stay behind it.
   */
  function show(entry: HTMLElement) {
    const composer = find("#composer");
    if (composer) document.documentElement.style.setProperty("--composer", `${composer.offsetHeight}px`);
    const { scrollMarginBlockStart, scrollMarginBlockEnd } = getComputedStyle(entry);
    const height = entry.offsetHeight + parseFloat(scrollMarginBlockStart) + parseFloat(scrollMarginBlockEnd);
    const isWhole = height <= Math.min(innerHeight, entry.closest(".reader")?.clientHeight ?? 0);
    entry.scrollIntoView({ block: isWhole ? "end" : "start" });
  }

  restore();
  showNewest();
  let wasElsewhere = false;
  onHtmx("before:swap", () => {
    wasElsewhere = document.activeElement !== field();
  });
  onHtmx("after:swap", () => {
    restore();
    const text = field();
    if (wasElsewhere && text && text === document.activeElement)
      text.setSelectionRange(text.value.length, text.value.length);
    requestAnimationFrame(showNewest); // after the focus, which scrolls to the heading
  });

  addEventListener("input", ({ target }) => {
    if (target instanceof HTMLTextAreaElement && target === field()) keep(target);
  });
  addEventListener("submit", ({ target }) => {
    const text = field();
    if (text && text.form === target) keep(text); // under the ID with which it is sent
  });

  /** The box around the field looks like the field: a click beside its words means it. */
  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest(".reply") && !target.closest("a, button, p, .menu"))
      field()?.focus();
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
