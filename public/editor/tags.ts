import { split } from "../../db/lib/name-list";

/*
 * Suggestions for the name being typed, the last in a comma-separated list. The browser's datalist can only complete
 * the whole field, so each suggestion is the complete field.
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
