/** A heading of the documentation. */
export type Entry = {
  href: string;
  title: string;
  page: string;
  /** The first sentences below it. */
  text: string;
  /** The other words below it. */
  words: string;
};

const Matches = ({ entries }: { entries: Entry[] }) => (
  <ul class="matches">
    {entries.map(({ href, title, page, text, words }) => (
      <li data-words={words}>
        <a href={href}>{title}</a> <span class="place">{page}</span>
        <p>{text}</p>
      </li>
    ))}
  </ul>
);

/** What a search matched; without a query, everything. */
export const SearchResults = ({ query, entries }: { query: string; entries: Entry[] }) => (
  <>
    {query && (
      <p class="caption">
        {entries.length === 0
          ? "No matches for "
          : `${entries.length} ${entries.length === 1 ? "match" : "matches"} for `}
        “{query}”.
      </p>
    )}
    <Matches entries={entries} />
  </>
);
