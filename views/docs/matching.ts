/** A heading of the documentation, its first sentences, and the other words below it. */
export type Searchable = { title: string; text: string; words: string };

const maxTerms = 8;

const termsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxTerms);

/** Returns those that have every term, with the terms in the title first. */
export function matching<Entry extends Searchable>(entries: Entry[], query: string): Entry[] {
  const terms = termsOf(query);
  const inTitle = ({ title }: Entry) => terms.filter((term) => title.toLowerCase().includes(term)).length;
  return entries
    .filter(({ title, text, words }) => {
      const all = `${title} ${text} ${words}`.toLowerCase();
      return terms.every((term) => all.includes(term));
    })
    .map((entry) => ({ entry, score: inTitle(entry) }))
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}
