import { readingMinutes, slugOf, splitNames, wordsIn } from "../../db/lib/text";
import { area } from "./area";
import { addressOf, form } from "./copy";

const field = (id: string) => document.querySelector<HTMLInputElement>(`#${id}`);
const checkDelayMs = 400; // time without a keystroke

let derives = field("slug")?.value === "";
let waiting: ReturnType<typeof setTimeout> | undefined;

/** The slug of a new post follows its title until the manager edits the slug. */
export function follow(target: HTMLElement): void {
  const slug = field("slug");
  if (target instanceof HTMLTextAreaElement) {
    if (target.id === "excerpt") show("#excerpt-count", `${[...target.value].length} of 500 characters`);
    if (target === area()) countWords(target);
  }
  if (target instanceof HTMLInputElement && target.matches("[id*=-image]")) showCover(target);
  if (!slug || (target.id !== "title" && target !== slug)) return;
  if (target === slug) derives = slug.value === "";
  if (derives) slug.value = slugOf(field("title")?.value ?? "").slice(0, 100);
  else if (target.id === "title") return;
  clearTimeout(waiting);
  waiting = setTimeout(() => void check(slug), checkDelayMs);
}

/** The cover above the title. Images from elsewhere are not shown, as in the preview. */
function showCover({ value: src, dataset: { focusOf, focusClass = "" } }: HTMLInputElement): void {
  const image = document.querySelector<HTMLImageElement>("#cover-above img");
  const words = document.querySelector("#cover-above a > span");
  if (!image || !words) return;
  image.hidden = !src.startsWith("/media/");
  if (!image.hidden) image.src = /[?#]/.test(src) ? src : `${src}?w=1600`;
  image.className = focusOf === src ? focusClass : "";
  words.textContent = src ? "Change cover…" : "Add cover…";
}

function show(selector: string, words: string): void {
  const place = document.querySelector(selector);
  if (place) place.textContent = words;
}

let counting: ReturnType<typeof setTimeout> | undefined;

/** Shows how many words the text has, when the typing pauses. */
function countWords(text: HTMLTextAreaElement): void {
  clearTimeout(counting);
  counting = setTimeout(() => {
    const words = wordsIn(text.value);
    const [count, minutes] = document.querySelector("#word-count")?.childNodes ?? [];
    if (count) count.textContent = `${words.toLocaleString("en-GB")} word${words === 1 ? "" : "s"}`;
    if (minutes) minutes.textContent = words ? ` · ${readingMinutes(words)} min read` : "";
  }, checkDelayMs);
}

/** Shows the slug as it will be saved, and whether another post has it. */
async function check(slug: HTMLInputElement): Promise<void> {
  const post = form();
  if (!post) return;
  const id = addressOf(post).split("/").pop() ?? "";
  const answer = await fetch(`/dashboard/posts/slug?${new URLSearchParams({ of: slug.value, post: id })}`).catch(
    () => undefined,
  );
  if (!answer?.headers.get("content-type")?.includes("json")) return; // saving will report it
  const { slug: saved, problem } = (await answer.json()) as { slug: string; problem: string | null };
  show("#slug-shown", saved || "…");
  const note = document.querySelector("#slug-problem") ?? noteBelow(slug);
  note.textContent = problem;
  slug.ariaInvalid = String(problem !== null);
  for (const button of document.querySelectorAll("[data-view=details]")) {
    button.toggleAttribute("data-problem", problem !== null); // the field may not be in sight
    button.ariaDescription = problem;
  }
}

function noteBelow(slug: HTMLInputElement): Element {
  const note = document.createElement("p");
  note.id = "slug-problem";
  note.className = "error";
  note.role = "status";
  slug.setAttribute("aria-describedby", `${slug.getAttribute("aria-describedby") ?? ""} ${note.id}`);
  slug.parentElement?.append(note);
  return note;
}

/*
 * Suggestions for the name being typed, the last in a comma-separated list. The browser's datalist can only complete
 * the whole field, so each suggestion is the complete field.
 */
const suggestions = () => document.querySelector<HTMLDataListElement>("#tag-names");
const names = [...(suggestions()?.options ?? [])].map(({ value }) => value);

addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.id !== "tags") return;
  const before = target.value.slice(0, target.value.lastIndexOf(",") + 1);
  const taken = splitNames(before.toLowerCase());
  const free = names.filter((name) => !taken.includes(splitNames(name.toLowerCase()).join()));
  suggestions()?.replaceChildren(...free.map((name) => new Option("", `${before}${before && " "}${name}`)));
});
