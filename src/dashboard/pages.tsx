import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import { inTime } from "../../db/async/in-time";
import * as managers from "../../db/access/managers";
import type { Role } from "../../db/access/managers";
import * as sessions from "../../db/access/sessions";
import { type LiveTopic, liveTopics } from "../../db/live";
import { navigationCounts } from "../../db/overview";
import * as savedViews from "../../db/saved-views";
import type { Frame, Notice } from "../../views/components/frame";
import type { Names } from "../../views/components/who";
import { Shell } from "../../views/dashboard/shell";
import { ErrorSheet, ErrorWords, type Failure } from "../../views/error";
import { isOverview, paths } from "../../views/paths";
import { knownNow } from "../http/live-hub";
import { page } from "../http/response";
import { notRouted } from "../http/unrouted";
import { described } from "../platform/log";
import { contextOf } from "../platform/request-context";
import { formToken, isFormToken, isFromOwnPage } from "../security/forgery";
import { managerFor, managerOf, requireManager, sendOverdueToAccount } from "../security/session";
import type { Deps } from "./deps";
import { searchInput } from "./list-query";
import { allows, declare, mayUse, type Permission, refusedBy } from "./permissions";
import { preferencesOf } from "./preferences";

/**
 * An area of the dashboard, the counterpart of `api()`. Only those are admitted whose role its permission names; every
 * request that changes something comes from one of our own pages and carries the session's form token (D37). So a new
 * route cannot be open by mistake.
 */
export const pages = <const Prefix extends string>(prefix: Prefix, deps: Deps, permission: Permission) =>
  declare(areaOf(prefix, deps, permission), permission);

const areaOf = <const Prefix extends string>(prefix: Prefix, deps: Deps, permission: Permission) =>
  new Elysia({ prefix })
    .use(html({ autoDetect: false }))
    .onParse(({ request, contentType }) => (contentType === "multipart/form-data" ? fieldsOf(request) : undefined))
    .onError(async ({ code, error, request }) => {
      if (error instanceof Response) return error;
      if (code === "NOT_FOUND") return;
      const refused = code === "PARSE" ? await gate(deps, request, undefined, permission) : undefined;
      if (refused) return refused;
      if (code === "PARSE" || code === "VALIDATION")
        return page(
          <ErrorSheet title="The form could not be read" message="Go back, correct it, and send it again." />,
          400,
        );
      const { id, pathname } = contextOf(request);
      deps.log.error("failed", { id, method: request.method, path: pathname, ...described(error) });
      const failure = { title: "Something went wrong", message: "Nothing was changed. Try again." };
      return failed(deps, request, 500, { ...failure, number: id, isOverview: isOverview(pathname) });
    })
    .onTransform(async (context) => {
      const { request, body, params } = context;
      const refused = await gate(deps, request, body, permission);
      if (refused) throw refused;
      if (isUnreadable(params)) throw notRouted();
      if (request.method !== "GET" && !hasFields(body)) context.body = {}; // routes find no fields then
    })
    .onAfterHandle(({ request }) => storeNotice(deps, request));

/** The fields of a form with files, as they were sent: Elysia would parse values that look like JSON, however deep. */
async function fieldsOf(request: Request): Promise<Record<string, unknown>> {
  const named = Map.groupBy(await request.formData(), ([name]) => name);
  return Object.fromEntries(
    [...named].map(([name, fields]) => {
      const values = fields.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** Elysia passes null for a path segment that is not valid UTF-8, such as %ff. Nothing has that URL. */
const isUnreadable = (params: Record<string, unknown> = {}) => Object.values(params).includes(null);

/** A form, or a JSON object. Our pages send nothing else. */
const hasFields = (body: unknown) => typeof body === "object" && body !== null && !Array.isArray(body);

async function gate(
  deps: Deps,
  request: Request,
  body: unknown,
  permission: Permission,
): Promise<Response | undefined> {
  const elsewhere =
    (await requireManager(deps)(request)) ??
    (permission.isForOverdue ? undefined : sendOverdueToAccount(request, deps.now()));
  if (elsewhere) return elsewhere;
  const { manager, session } = managerFor(request);
  if (!allows(permission, manager.role)) return refusalFor(deps, request, permission);
  if (request.method === "GET") return;
  const field = typeof body === "object" && body !== null && "_token" in body ? body._token : undefined;
  const token = request.headers.get("x-form-token") ?? field;
  if (isFromOwnPage(deps.config, request) && isFormToken(deps.config, session, token)) return;
  const message = "Nothing was changed. Go back, reload the page, and try again.";
  return failed(deps, request, 403, { title: "This page has expired", message });
}

/** Refuses what this manager's role does not include, and says why. */
export const refusalFor = (deps: Deps, request: Request, permission: Permission): Promise<Response> =>
  failed(deps, request, 403, refusedBy(permission, managerFor(request).manager.role));

/**
 * Responds to a URL or method that the dashboard does not have, or to a form that is too large: with the navigation for
 * someone who is signed in, and may see more than the account page. Undefined for everyone else, of whom nothing is read.
 */
export async function strayPage(
  deps: Deps,
  request: Request,
  status: 404 | 405 | 413,
  failure: Failure,
): Promise<Response | undefined> {
  const signedIn = await managerOf(deps, request).catch(() => undefined);
  return signedIn && !sendOverdueToAccount(request, deps.now()) ? failed(deps, request, status, failure) : undefined;
}

type FailedStatus = 403 | 404 | 405 | 413 | 500;

const maxFrameMs = 1_000;

/** A failure, with the navigation beside it if that can be had soon: what it asks may be what failed. */
async function failed(deps: Deps, request: Request, status: FailedStatus, failure: Failure): Promise<Response> {
  const alone = () => page(<ErrorSheet {...failure} />, status);
  if (isPartial(request)) return alone();
  try {
    const frame = await inTime(frameWithoutNotices(deps, request), maxFrameMs, () => new Error("too late"));
    const content = (
      <Shell frame={frame} title={failure.title}>
        <section class="stack">
          <ErrorWords {...failure} />
        </section>
      </Shell>
    );
    return page(content, status);
  } catch {
    return alone();
  }
}

/** What the page around the content needs to know. */
export async function frameOf(deps: Deps, request: Request): Promise<Frame> {
  const frame = await frameWithoutNotices(deps, request);
  const notices = isPartial(request) || contextOf(request).isPassive ? [] : takeNotices(deps, request);
  return { ...frame, notices };
}

/** The same for a page of a failure, which changes nothing: what was to be told is told by the next one. */
async function frameWithoutNotices(deps: Deps, request: Request): Promise<Frame> {
  const { manager, session, twoFactorDueAt } = managerFor(request);
  const context = contextOf(request);
  const now = deps.now();
  // Before anything that the page shows, and only for a page: parts do not change what it knows
  const live = isPartial(request) ? undefined : await knownNow(deps.db, topicsFor(deps, manager.role));
  const [{ siteTitle, ...counts }, views, team] = await Promise.all([
    navigationCounts(deps.db, now),
    savedViews.list(deps.db, manager.id),
    managers.names(deps.db),
  ]);
  const names = namesOf(team);
  const may: Frame["may"] = (path, method) => mayUse(deps, manager.role, path, method);
  return {
    manager,
    twoFactorDueAt,
    token: formToken(deps.config, session),
    path: context.pathname,
    siteTitle: siteTitle ?? "Postroom",
    names,
    team: team
      .filter(({ role }) => mayUse(deps, role, paths.contact))
      .map(({ id, email }) => ({ id, name: names.get(email) ?? email })),
    may,
    counts: countsFor(may, counts),
    live,
    savedViews: views.filter(({ path }) => may(path)),
    preferences: preferencesOf(manager.preferences, request),
    longestSearch: searchInput.maxlength,
    notices: [],
    now,
  };
}

/** Where what has changed is shown, for each topic of live events. */
const pageOf: Record<LiveTopic, string> = {
  messages: paths.contact,
  emails: paths.mails,
  webhooks: paths.webhooks,
  uploads: paths.openUploads,
  broadcasts: paths.broadcasts,
  erasures: paths.people,
};

/** What someone with this role is told about when it changes. */
export const topicsFor = (deps: Deps, role: Role): ReadonlySet<LiveTopic> =>
  new Set(liveTopics.filter((topic) => mayUse(deps, role, pageOf[topic])));

/** What waits behind links that this role does not have is not counted. */
const countsFor = (may: Frame["may"], counts: Frame["counts"]): Frame["counts"] => ({
  ...counts,
  unread: may(paths.contact) ? counts.unread : 0,
  failedMails: may(paths.mails) ? counts.failedMails : 0,
});

/** htmx requests a part of the page; everything else wants the whole page. */
export const isPartial = ({ headers }: Request) => headers.get("hx-request-type") === "partial";

/** Returns the names of managers by their addresses. */
export const managerNames = async ({ db }: Pick<Deps, "db">): Promise<Names> => namesOf(await managers.names(db));

/** Two with the same name are told apart by the address. */
function namesOf(team: { email: string; name: string }[]): Names {
  const all = team.filter(({ name }) => name);
  const counts = Map.groupBy(all, ({ name }) => name);
  return new Map(
    all.map(({ email, name }) => [email, (counts.get(name)?.length ?? 0) > 1 ? `${name} (${email})` : name]),
  );
}

const left = new WeakMap<Request, Notice>();

/** Leaves a notice for the next page of this session, after the redirect that this request gets. */
export const leaveNotice = (request: Request, notice: Notice): void => void left.set(request, notice);

/** Stores the notice left during this request before its response is sent. */
function storeNotice({ db }: Pick<Deps, "db">, request: Request): void {
  const notice = left.get(request);
  if (notice) contextOf(request).awaitBeforeResponse(sessions.leaveNotice(db, managerFor(request).session, notice));
}

/** Returns the notices left for this session, once. */
function takeNotices({ db }: Pick<Deps, "db">, request: Request): Notice[] {
  const { session } = managerFor(request);
  if (!session.notices) return [];
  contextOf(request).awaitBeforeResponse(sessions.clearNotices(db, session));
  return session.notices as Notice[];
}
