import { announce } from "./announce";
import { matching, type Searchable } from "../../views/docs/matching";

type Entry = Searchable & { item: Element };

const maxShown = 12;

/** Shows what matches below the field while one types. The index is the page of all headings, loaded on first use. */
export function searchWhileTyping(): void {
  const input = document.querySelector<HTMLInputElement>("#q");
  const list = document.querySelector<HTMLElement>("#matches");
  if (!input || !list) return;

  let index: Promise<Entry[]> | undefined;
  const load = () => (index ??= loadIndex().catch(() => [])); // then Enter still searches on the server
  const show = async () => {
    const entries = await load();
    const matches = input.value.trim() ? matching(entries, input.value) : [];
    list.replaceChildren(...matches.slice(0, maxShown).map(({ item }) => item.cloneNode(true)));
    list.hidden = matches.length === 0;
    if (input.value.trim()) announce(matches.length === 1 ? "1 match" : `${matches.length} matches`);
  };
  const close = () => {
    list.hidden = true;
  };
  input.addEventListener("focus", load, { once: true });
  input.addEventListener("input", show);
  addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  input.form?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
      input.focus();
    }
    if (/^Arrow(Up|Down)$/.test(event.key)) moveFocus(event, input, list);
  });
  input.form?.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && input.form?.contains(relatedTarget))) close();
  });
  list.addEventListener("click", close); // a match on this page
}

async function loadIndex(): Promise<Entry[]> {
  const page = new DOMParser().parseFromString(await (await fetch("/docs/search")).text(), "text/html");
  return [...page.querySelectorAll<HTMLElement>(".matches > li")].map((item) => ({
    item: document.adoptNode(item),
    title: item.querySelector("a")?.textContent ?? "",
    text: item.querySelector("p")?.textContent ?? "",
    words: item.dataset.words ?? "",
  }));
}

/** Moves between the field and the matches below it. */
function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  if (list.hidden) return;
  const stops: HTMLElement[] = [input, ...list.querySelectorAll("a")];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  stops[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  event.preventDefault();
}
