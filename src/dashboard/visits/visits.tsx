import {
  countedSince,
  countsSince,
  largestSince,
  otherHosts,
  type Referrer,
  referrersOfPost,
  referrersSince,
} from "../../../db/visits";
import type { Db } from "../../../db/engine/open";
import { dayOf } from "../../../db/lib/time";
import { byId as postById } from "../../../db/posts/edit";
import { visited as visitedPosts } from "../../../db/posts/list";
import { statusOf } from "../../../db/posts/rules";
import { visited as visitedProjects } from "../../../db/projects/list";
import { byId as projectById } from "../../../db/projects/projects";
import type { Counted } from "../../../views/components/charts/shares";
import type { Frame } from "../../../views/components/frame";
import { exact } from "../../../views/components/time";
import { Visits, VisitsPage, type VisitsView } from "../../../views/dashboard/visits";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { frameOf, isPartial, pages } from "../pages";
import { forEveryone } from "../permissions";
import { type ChartPeriod, ChartQuery, firstDayOf } from "../period";
import { notThere, part, show } from "../responses";

type Visited = { id: string; title: string; total: number; deletedAt: Date | null };
/** What is counted, and where it is shown. */
type Subject = {
  noun: VisitsView["noun"];
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
    .get("/:id/views", ({ request, params: { id }, query }) => showOne(deps, request, posts, id, query));

/** Clicks of projects over time: of all projects, and of each. */
export const projectClicks = (deps: Deps) =>
  pages(paths.projects, deps, forEveryone)
    .get("/clicks", ({ request, query }) => showAll(deps, request, projects, query))
    .get("/:id/clicks", ({ request, params: { id }, query }) => showOne(deps, request, projects, id, query));

const titleOf = ({ noun }: Subject) => (noun === "view" ? "Views" : "Clicks");

async function showAll(deps: Deps, request: Request, of: Subject, query: unknown) {
  const frame = await frameOf(deps, request);
  const chart = { ...(await chartOf(deps, frame, of, "", query)), path: of.path };
  if (isPartial(request)) return part(<Visits {...chart} />);
  const top = await topOf(deps, of);
  const referrers = of.noun === "view" ? await referrersOf(deps.db, dayOf(frame.now) - topDays + 1, maxTop) : undefined;
  const never = chart.counts.length === 0 && !top.items.length ? await of.never(deps.db, frame) : undefined;
  const about = { crumb: crumbTo(frame, of.parent), title: titleOf(of), top, referrers, never };
  const page = <VisitsPage {...chart} {...about} />;
  return show({ frame, title: titleOf(of) }, page);
}

type Crumb = { href: string; text: string };

/** Undefined if the manager's role does not include that page. */
const crumbTo = ({ may }: Frame, crumb: Crumb): Crumb | undefined => (may(crumb.href) ? crumb : undefined);

async function showOne(deps: Deps, request: Request, of: Subject, id: string, query: unknown) {
  const frame = await frameOf(deps, request);
  const chart = { ...(await chartOf(deps, frame, of, id, query)), path: of.pathOf(id) };
  if (isPartial(request)) return part(<Visits {...chart} />);
  const [visited] = await of.find(deps.db, [id]);
  if (!visited) return notThere(frame, of.gone, of.path);
  const title = `${titleOf(of)} of “${visited.title}”`;
  const item = { href: `${of.parent.href}/${id}`, text: visited.title };
  const crumb = crumbTo(frame, item) ?? { href: of.path, text: titleOf(of) };
  const from = dayOf(frame.now) - topDays + 1;
  const hosts = of.noun === "view" ? await referrersOfPost(deps.db, id, from, maxTop) : [];
  const never = visited.total + chart.counts.length === 0 ? await of.never(deps.db, frame, id) : undefined;
  const about = { crumb, title: titleOf(of), total: visited.total, referrers: hosts.map(countedHost), never };
  return show({ frame, title }, <VisitsPage {...chart} {...about} />);
}

async function chartOf({ db }: Deps, { now, preferences }: Frame, { noun }: Subject, id: string, query: unknown) {
  const period = ChartQuery.parse(query).days;
  return { noun, period, dates: preferences.dates, ...(await countsOf(db, noun, id, period, now)) };
}

const maxTop = 20;
const topDays = 30;

async function topOf({ db, now }: Deps, { noun, what, find, pathOf }: Subject) {
  const largest = await largestSince(db, noun, dayOf(now()) - topDays + 1, maxTop);
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

/** Which sites the most views came from since a day, for pages. */
export const referrersOf = async (db: Db, from: number, limit: number): Promise<Counted[] | undefined> =>
  (await referrersSince(db, from, limit))?.map(countedHost);

type Kind = Parameters<typeof countsSince>[1];

/** The count of each day in a period, from the first day on which this was counted. */
async function countsOf(db: Db, kind: Kind, subject: string, period: ChartPeriod, at: Date) {
  const today = dayOf(at);
  const first = await countedSince(db, kind, subject);
  if (first === undefined) return { from: today, counts: [] };
  const from = Math.max(first, firstDayOf(period, today));
  return { from, counts: withEmptyDays(await countsSince(db, kind, from, subject), from, today) };
}

/** Adds a 0 for each day without a row. */
export function withEmptyDays(rows: { day: number; count: number }[], from: number, to: number): number[] {
  const counts = Array.from({ length: Math.max(0, to - from + 1) }, () => 0);
  for (const { day, count } of rows) if (day - from in counts) counts[day - from] = count;
  return counts;
}
