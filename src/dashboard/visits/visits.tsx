import {
  countedSince,
  countsOn,
  keptDays,
  largestOn,
  otherHosts,
  type Referrer,
  referrersOfPost,
  referrersOn,
} from "../../../db/visits";
import type { Db } from "../../../db/engine/open";
import { type Days, dayMs, dayOf } from "../../../db/lib/time";
import { byId as postById } from "../../../db/posts/edit";
import { visited as visitedPosts } from "../../../db/posts/list";
import { statusOf } from "../../../db/posts/rules";
import { visited as visitedProjects } from "../../../db/projects/list";
import { byId as projectById } from "../../../db/projects/projects";
import type { Counted } from "../../../views/components/charts/shares";
import type { Frame } from "../../../views/components/frame";
import { exact } from "../../../views/components/time";
import { type ChartView, Visits, VisitsExport, VisitsPage } from "../../../views/dashboard/visits";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { frameOf, isPartial, pages } from "../pages";
import { forEveryone } from "../permissions";
import { csvLine } from "../../content/csv/reader";
import { download } from "../download";
import { ChartQuery, daysOf } from "../period";
import { notThere, part, show } from "../responses";

type Visited = { id: string; title: string; total: number; deletedAt: Date | null };
/** What is counted, and where it is shown. */
type Subject = {
  noun: ChartView["noun"];
  what: "posts" | "projects";
  gone: string;
  /** The path of the page for all of them, and below it for each. */
  path: string;
  pathOf: (id: string) => string;
  parent: { href: string; text: string };
  find: (db: Db, ids: string[]) => Promise<Visited[]>;
  /** Why this one, or any of them, has never been visited. */
  never: (db: Db, frame: Frame, id?: string) => Promise<string>;
};

const posts: Subject = {
  noun: "view",
  what: "posts",
  gone: "This post was permanently deleted.",
  path: paths.postViews,
  pathOf: paths.viewsOf,
  parent: { href: paths.posts, text: "Posts" },
  find: visitedPosts,
  async never(db, { now, preferences }, id) {
    if (!id) return "Views of published posts appear here, by day.";
    const post = await postById(db, id);
    const status = post && statusOf(post, now);
    if (!post?.publishedAt || status === "draft")
      return "No one can read this post yet. Views are counted once it is published.";
    return status === "scheduled"
      ? `No one can read this post yet. It will be published on ${exact(post.publishedAt, preferences)}.`
      : "A view is counted when someone opens this post on your site. The chart starts on the second day.";
  },
};
const projects: Subject = {
  noun: "click",
  what: "projects",
  gone: "This project was permanently deleted.",
  path: paths.projectClicks,
  pathOf: paths.clicksOf,
  parent: { href: paths.projects, text: "Projects" },
  find: visitedProjects,
  async never(db, _frame, id) {
    if (!id) return "Clicks on the links of published projects appear here, by day.";
    const project = await projectById(db, id);
    if (project?.status !== "PUBLISHED") return "Clicks are counted once the project is published.";
    return project.liveUrl
      ? "A click is counted when someone follows this project’s link on your site. The chart starts on the second day."
      : "This project has no live URL, so there is no link to click.";
  },
};

/** Views of posts over time: of all posts, and of each. */
export const postViews = (deps: Deps) =>
  pages(paths.posts, deps, forEveryone)
    .get("/views", ({ request, query }) => showAll(deps, request, posts, query))
    .get("/views/export.csv", ({ request, query }) => exportAll(deps, request, posts, query))
    .get("/:id/views", ({ request, params: { id }, query }) => showOne(deps, request, posts, id, query))
    .get("/:id/views/export.csv", ({ request, params: { id }, query }) => exportOne(deps, request, posts, id, query));

/** Clicks of projects over time: of all projects, and of each. */
export const projectClicks = (deps: Deps) =>
  pages(paths.projects, deps, forEveryone)
    .get("/clicks", ({ request, query }) => showAll(deps, request, projects, query))
    .get("/clicks/export.csv", ({ request, query }) => exportAll(deps, request, projects, query))
    .get("/:id/clicks", ({ request, params: { id }, query }) => showOne(deps, request, projects, id, query))
    .get("/:id/clicks/export.csv", ({ request, params: { id }, query }) =>
      exportOne(deps, request, projects, id, query),
    );

const titleOf = ({ noun }: Subject) => (noun === "view" ? "Views" : "Clicks");

async function showAll(deps: Deps, request: Request, of: Subject, query: unknown) {
  const frame = await frameOf(deps, request);
  const figures = await figuresOf(deps, of, undefined, query, most.onPage);
  const view = { ...figures, path: of.path, dates: frame.preferences.dates };
  if (isPartial(request)) return part(partOf(view));
  const never = figures.isCounted ? undefined : await of.never(deps.db, frame);
  const about = { crumb: crumbTo(frame, of.parent), title: titleOf(of), never };
  return show({ frame, title: titleOf(of) }, <VisitsPage {...view} {...about} />);
}

type Crumb = { href: string; text: string };

/** Undefined if the manager's role does not include that page. */
const crumbTo = ({ may }: Frame, crumb: Crumb): Crumb | undefined => (may(crumb.href) ? crumb : undefined);

async function showOne(deps: Deps, request: Request, of: Subject, id: string, query: unknown) {
  const frame = await frameOf(deps, request);
  const figures = await figuresOf(deps, of, id, query, most.onPage);
  const view = { ...figures, path: of.pathOf(id), dates: frame.preferences.dates };
  if (isPartial(request)) return part(partOf(view));
  const [visited] = await of.find(deps.db, [id]);
  if (!visited) return notThere(frame, of.gone, of.path);
  const title = `${titleOf(of)} of “${visited.title}”`;
  const item = { href: `${of.parent.href}/${id}`, text: visited.title };
  const crumb = crumbTo(frame, item) ?? { href: of.path, text: titleOf(of) };
  const never = visited.total || figures.isCounted ? undefined : await of.never(deps.db, frame, id);
  const about = { crumb, title: titleOf(of), total: visited.total, never };
  return show({ frame, title }, <VisitsPage {...view} {...about} />);
}

/** What changes with the period. */
const partOf = (view: ChartView) => (
  <>
    <Visits {...view} />
    <hx-partial hx-target="#exports" hx-swap="outerHTML">
      <VisitsExport {...view} />
    </hx-partial>
  </>
);

async function exportAll(deps: Deps, request: Request, of: Subject, query: unknown) {
  const file = { name: `${of.noun}s`, extension: "csv", action: `${of.noun}.export` } as const;
  return download(deps, request, file, csvOf(of, await figuresOf(deps, of, undefined, query, most.inFile)));
}

async function exportOne(deps: Deps, request: Request, of: Subject, id: string, query: unknown) {
  const [visited] = await of.find(deps.db, [id]);
  if (!visited) return notThere(await frameOf(deps, request), of.gone, of.path);
  const file = { name: `${of.noun}s`, extension: "csv", action: `${of.noun}.export`, target: visited.title } as const;
  return download(deps, request, file, csvOf(of, await figuresOf(deps, of, id, query, most.inFile)));
}

/** The figures of the page in one table, so that a spreadsheet can filter it: by day, by item, and by site. */
async function* csvOf({ noun, what }: Subject, { from, counts, top, referrers = [] }: Figures) {
  const line = (type: string, name: string, count: number) => csvLine([type, name, String(count)]);
  const dayName = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
  yield csvLine(["type", "name", `${noun}s`]);
  yield counts.map((count, at) => line("day", dayName(from + at), count)).join("");
  yield (top?.items ?? []).map(({ title, count }) => line(what.slice(0, -1), title, count)).join("");
  yield referrers.map(({ title, count }) => line("site", title, count)).join("");
}

/** How many items, and how many sites. */
const most = { onPage: 20, inFile: Number.MAX_SAFE_INTEGER };

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** What was counted in a period: by day, and what had the most, of all or of one. */
async function figuresOf({ db, now }: Deps, of: Subject, id: string | undefined, query: unknown, limit: number) {
  const { noun } = of;
  const period = ChartQuery.parse(query).days;
  const today = dayOf(now());
  const days = daysOf(period, today);
  const first = await countedSince(db, noun, id);
  const from = Math.max(first ?? today, days.from);
  const counts =
    first === undefined ? [] : withEmptyDays(await countsOn(db, noun, { ...days, from }, id), from, days.to);
  const top = id === undefined ? await topOf(db, of, days, limit) : undefined;
  const referrers =
    noun === "click"
      ? undefined
      : id === undefined
        ? await referrersOf(db, days, limit)
        : (await referrersOfPost(db, id, days, limit)).map(countedHost);
  return { noun, period, start: days.from, isCounted: first !== undefined, from, counts, top, referrers, keptDays };
}

async function topOf(db: Db, { noun, what, find, pathOf }: Subject, days: Days, limit: number) {
  const largest = await largestOn(db, noun, days, limit);
  const ids = largest.map(({ id }) => id);
  const byId = new Map((await find(db, ids)).map((each) => [each.id, each]));
  const items = largest.flatMap(({ id, count }) => {
    const { title, deletedAt } = byId.get(id) ?? {};
    return title === undefined || deletedAt ? [] : [{ href: pathOf(id), title, count }];
  });
  return { what, items };
}

const countedHost = ({ host, count }: Referrer): Counted => ({
  title: host === otherHosts ? "Other sites" : host,
  count,
});

/** Which sites the most views came from on these days, for pages. */
export const referrersOf = async (db: Db, days: Days, limit: number): Promise<Counted[] | undefined> =>
  (await referrersOn(db, days, limit))?.map(countedHost);

/** Adds a 0 for each day without a row. */
export function withEmptyDays(rows: { day: number; count: number }[], from: number, to: number): number[] {
  const counts = Array.from({ length: Math.max(0, to - from + 1) }, () => 0);
  for (const { day, count } of rows) if (day - from in counts) counts[day - from] = count;
  return counts;
}
