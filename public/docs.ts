/* What the documentation gains by a script. Without it, everything can be read, chosen and searched all the same. */
import { matching, type Searchable } from "../views/docs/matching";

/** Puts a button above each example that copies what is shown of it. */
function addCopyButtons(): void {
  for (const block of document.querySelectorAll(".block")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const code = [...block.querySelectorAll("pre")].find((pre) => pre.checkVisibility());
      await navigator.clipboard.writeText(code?.textContent ?? "");
      announce("Copied");
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2_000);
    });
    block.append(button);
  }
}

/**
 * The documentation was a single page once. A link to one of its anchors leads to the start page, whose line of that
 * name links to where it is now.
 */
function followMovedAnchor(): void {
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const link = document.getElementById(id)?.closest("[data-moved] :is(li, h3)")?.querySelector("a");
    if (link) location.replace(link.href);
  };
  addEventListener("hashchange", follow);
  follow();
}

const key = "postroom-docs-language";

/** A language that is chosen once is chosen in every example, on every page, the next time too. */
function rememberLanguage(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>(".tabs input")];
  const choose = (language: string) => {
    for (const choice of choices) if (choice.value === language) choice.checked = true;
  };
  try {
    choose(localStorage.getItem(key) ?? "");
  } catch {} // no storage: nothing is remembered
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !choices.includes(target)) return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" }); // examples above it changed
    try {
      localStorage.setItem(key, target.value);
    } catch {}
  });
}

type Entry = Searchable & { item: Element };

const maxShown = 12;

/** Shows what matches below the field while one types. The index is the page of all headings, loaded on first use. */
function searchWhileTyping(): void {
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
    page: item.querySelector(".place")?.textContent ?? "",
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

/** Announces text to screen readers without showing it. */
function announce(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}

followMovedAnchor();
rememberLanguage();
addCopyButtons();
searchWhileTyping();
