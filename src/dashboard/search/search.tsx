import { z } from "zod";
import { fold } from "../../../db/lib/fold";
import type { Frame } from "../../../views/components/frame";
import {
  PaletteResults,
  type Result,
  type ResultGroup,
  type ResultsView,
  SearchPage,
} from "../../../views/dashboard/search/results";
import { paths } from "../../../views/paths";
import { fragment } from "../../http/response";
import type { Deps } from "../deps";
import { search } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { forEveryone } from "../permissions";
import { show } from "../responses";
import { actionsFor, pageResults, settingResults, settingsPagesWith, suggestionsFor } from "./commands";
import { firstMatches, subjectsFor } from "./subjects";

const path = paths.search;

const Query = z.object({
  q: search,
  /** The paths of pages that this browser opened last. */
  recent: z
    .string()
    .max(2_000)
    .transform((list) => list.split(" ").slice(0, 20))
    .catch([]),
});
type Query = z.output<typeof Query>;

/** Results per kind in the palette, and on the page. */
const perGroup = { palette: 3, page: 10 };

/** One search for everything: the palette, and a page that needs no script. */
export const searchDashboard = (deps: Deps) =>
  pages(path, deps, forEveryone).get("/", ({ request, query }) => showResults(deps, request, Query.parse(query)));

async function showResults(deps: Deps, request: Request, query: Query) {
  const frame = await frameOf(deps, request);
  const isPalette = isPartial(request);
  const view = await resultsFor(deps, frame, query, isPalette ? perGroup.palette : perGroup.page);
  const vary = { vary: "HX-Request-Type" };
  if (isPalette) return fragment(<PaletteResults frame={frame} {...view} />, 200, vary);
  return show({ frame, title: "Search" }, <SearchPage frame={frame} {...view} />);
}

const minCharacters = 2;

async function resultsFor(deps: Deps, frame: Frame, { q, recent }: Query, limit: number): Promise<ResultsView> {
  const suggestions = suggestionsFor(frame, q);
  const isLong = [...q].length >= minCharacters;
  const groups = isLong
    ? inOrder(q, await firstMatches(deps, frame, q, limit), [
        settingResults(frame, q, limit),
        actionsFor(frame, q, limit),
        pageResults(frame, q, limit),
      ]).concat(settingsPagesWith(frame, q, limit))
    : [await recentResults(deps, frame, recent), actionsFor(frame, q), pageResults(frame, q)];
  return { asked: q, q: isLong ? q : "", suggestions, groups: groups.filter(({ rows }) => rows.length > 0) };
}

/**
 * People, messages, posts, projects, files and broadcasts (`subjects.ts`), then settings, actions and pages. A group of
 * commands of which one begins with the words comes first, pages before actions before settings: "set" and Enter opens
 * Settings. One of which a name has the words comes before what only mentions them: "password" and Enter changes it, and
 * opens no post about passwords.
 */
function inOrder(q: string, things: ResultGroup[], commands: ResultGroup[]): ResultGroup[] {
  const words = fold(q);
  const begins = ({ rows }: ResultGroup) => rows.some(({ title }) => fold(title).startsWith(words));
  const names = ({ rows }: ResultGroup) => rows.some(({ title }) => fold(title).includes(words));
  const {
    first = [],
    named = [],
    last = [],
  } = Object.groupBy(commands, (group) => (begins(group) ? "first" : names(group) ? "named" : "last"));
  const isMatch = (group: ResultGroup) => named.length === 0 || group.id === "people" || names(group);
  const { matches = [], mentions = [] } = Object.groupBy(things, (group) => (isMatch(group) ? "matches" : "mentions"));
  return [...first.reverse(), ...matches, ...named, ...mentions, ...last];
}

const maxRecent = 3;

/**
 * What this browser opened last. The browser remembers paths but no names: these are read again, so that nothing
 * deleted or erased is shown.
 */
async function recentResults(deps: Deps, frame: Frame, opened: string[]): Promise<ResultGroup> {
  const rows: Result[] = [];
  for (const path of new Set(opened)) {
    const at = path.lastIndexOf("/");
    const subject = subjectsFor(frame).find((subject) => subject.path === path.slice(0, at));
    const result = subject && rows.length < maxRecent ? await subject.one(deps, frame, path.slice(at + 1)) : undefined;
    if (result) rows.push(result);
  }
  return { id: "recent", name: "Recent", rows, total: rows.length, isMore: false };
}
