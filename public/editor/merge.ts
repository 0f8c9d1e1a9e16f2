/*
 * The merge fields of a text: the reader's name, and what its page says the site has (data-merge). A text without that
 * knows only the name.
 */

type Site = { fields: readonly string[]; topics: readonly (readonly [slug: string, name: string])[] };

/** The same for every recipient, or made for each: they need no fallback. */
const links = ["email", "unsubscribe_url", "preferences_url", "browser_url"];

let last: { json: string; site: Site } | undefined; // it is read for each field that is drawn

function siteOf(): Site | undefined {
  const json = document.querySelector<HTMLElement>("textarea[data-merge]")?.dataset.merge;
  if (json === undefined) return;
  if (last?.json !== json) last = { json, site: JSON.parse(json) };
  return last?.site;
}

/** Returns what a chip says instead of this source; undefined if no field is called so. */
export function fieldWords(source: string): string | undefined {
  const [, slug, key = "", fallback] = /^\{(?:topic "([^"]+)"|([a-z][a-z0-9_]*)(?:,\s*"(.*)")?)\}$/.exec(source) ?? [];
  const site = siteOf();
  if (slug !== undefined) {
    const topic = site?.topics.find((each) => each[0] === slug);
    return topic && `topic “${topic[1]}”`;
  }
  if (key !== "name" && !site?.fields.includes(key)) return site && links.includes(key) ? key : undefined;
  return fallback ? `${key} or “${fallback}”` : key;
}

/** What can be put in besides the name: before and after the caret. */
export function mergeItems(): { name: string; words: string; before: string; after: string }[] {
  const { fields = [], topics = [] } = siteOf() ?? {};
  if (!fields.length && !topics.length) return [];
  return [
    ...["name", ...fields].map((key) => ({
      name: `Merge field: ${key}`,
      words: "subscriber",
      before: `{${key}, "`,
      after: '"}',
    })),
    ...topics.map(([slug, name]) => ({
      name: `Link to the topic ${name}`,
      words: `merge field ${slug}`,
      before: `{topic "${slug}"}`,
      after: "",
    })),
  ];
}
