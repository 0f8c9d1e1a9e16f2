/** A heading of the documentation, the page it is on, its first sentences, and the other words below it. */
export type Searchable = { title: string; page: string; text: string; words: string };

const maxTerms = 8;

const termsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxTerms);

/**
 * Returns those that have every term, with the terms in the title first. If none has them all, as with words that are
 * everywhere and so in no index, those with at least half of them, and the most first.
 */
export function matching<Entry extends Searchable>(entries: Entry[], query: string): Entry[] {
  const terms = termsOf(query);
  const countIn = (text: string) => terms.filter((term) => text.toLowerCase().includes(term)).length;
  const scored = entries.map((entry) => {
    const { title, page, text, words } = entry;
    const matched = countIn(`${title} ${page} ${text} ${words}`);
    return { entry, matched, score: matched + countIn(title) };
  });
  const least = scored.some(({ matched }) => matched === terms.length) ? terms.length : Math.ceil(terms.length / 2);
  return scored
    .filter(({ matched }) => matched >= least)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}
