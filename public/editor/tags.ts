import { split } from "../../db/lib/name-list";

/*
 * Suggestions for the name that is being typed, the last of a list with commas: the browser's own list can only
 * complete the whole field, so each suggestion is the field as it would be.
 */
const suggestions = () => document.querySelector<HTMLDataListElement>("#tag-names");
const names = [...(suggestions()?.options ?? [])].map(({ value }) => value);

addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.id !== "tags") return;
  const before = target.value.slice(0, target.value.lastIndexOf(",") + 1);
  const taken = new Set(split(before).map((name) => name.toLowerCase()));
  const free = names.filter((name) => !taken.has(split(name).join().toLowerCase()));
  suggestions()?.replaceChildren(...free.map((name) => new Option("", `${before}${before && " "}${name}`)));
});
