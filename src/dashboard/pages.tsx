import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import * as managers from "../../db/access/managers";
import * as sessionNotices from "../../db/access/sessions";
import { navigationCounts } from "../../db/navigation-counts";
import * as savedViews from "../../db/saved-views";
import type { Frame, Notice } from "../../views/components/frame";
import type { Names } from "../../views/components/who";
import { ErrorSheet } from "../../views/error";
import { knownNow } from "../http/live-hub";
import { page } from "../http/response";
import { notRouted } from "../http/unrouted";
import { described } from "../platform/log";
import { contextOf } from "../platform/request-context";
import { formToken, isFormToken, isFromOwnPage } from "../security/forgery";
import { requireManager, requireTwoFactor } from "../security/session/require-manager";
import { managerFor } from "../security/session/session";
import type { Deps } from "./deps";
import { searchInput } from "./list-query";
import { preferencesOf } from "./preferences";

type Admission = {
  /** Also for managers who still have to set up two-step verification or a passkey. */
  isForEveryone?: boolean;
};

/**
 * An area of the dashboard, the counterpart of `api()`. Only managers are admitted; every request that changes
 * something comes from one of our own pages and carries the session's form token (D37). So a new route cannot be open
 * by mistake.
 */
export const pages = <const Prefix extends string>(prefix: Prefix, deps: Deps, admission: Admission = {}) =>
  new Elysia({ prefix })
    .use(html({ autoDetect: false }))
    .onParse(({ request, contentType }) => (contentType === "multipart/form-data" ? fieldsOf(request) : undefined))
    .onError(async ({ code, error, request }) => {
      if (error instanceof Response) return error;
      if (code === "NOT_FOUND") return;
      const refused = code === "PARSE" ? await gate(deps, request, undefined, admission) : undefined;
      if (refused) return refused;
      if (code === "PARSE" || code === "VALIDATION")
        return page(
          <ErrorSheet title="The form could not be read" message="Go back, correct it, and send it again." />,
          400,
        );
      const { id, pathname } = contextOf(request);
      deps.log.error("failed", { id, method: request.method, path: pathname, ...described(error) });
      return page(
        <ErrorSheet
          title="Something went wrong"
          message="Nothing was changed. Try again."
          number={id}
          path={pathname}
        />,
        500,
      );
    })
    .onTransform(async (context) => {
      const { request, body, params } = context;
      const refused = await gate(deps, request, body, admission);
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
  { isForEveryone }: Admission,
): Promise<Response | undefined> {
  const elsewhere =
    (await requireManager(deps)(request)) ?? (isForEveryone ? undefined : requireTwoFactor(request, deps.now()));
  if (elsewhere) return elsewhere;
  if (request.method === "GET") return;
  const { session } = managerFor(request);
  const field = typeof body === "object" && body !== null && "_token" in body ? body._token : undefined;
  const token = request.headers.get("x-form-token") ?? field;
  if (isFromOwnPage(deps.config, request) && isFormToken(deps.config, session, token)) return;
  return page(
    <ErrorSheet
      title="This page has expired"
      message="Nothing was changed. Go back, reload the page, and try again."
    />,
    403,
  );
}

/** What the page around the content needs to know. */
export async function frameOf(deps: Deps, request: Request): Promise<Frame> {
  const { manager, session, twoFactorDueAt } = managerFor(request);
  const context = contextOf(request);
  const now = deps.now();
  const live = await knownNow(deps.db); // before anything that the page shows
  const [{ siteTitle, ...counts }, views, team] = await Promise.all([
    navigationCounts(deps.db, now),
    savedViews.list(deps.db, manager.id),
    managers.names(deps.db),
  ]);
  const names = namesOf(team);
  return {
    manager,
    twoFactorDueAt,
    token: formToken(deps.config, session),
    path: context.pathname,
    siteTitle: siteTitle ?? "Postroom",
    names,
    team: team.map(({ id, email }) => ({ id, name: names.get(email) ?? email })),
    counts,
    live,
    savedViews: views,
    preferences: preferencesOf(manager.preferences, request),
    longestSearch: searchInput.maxlength,
    notices: isPartial(request) || context.isPassive ? [] : takeNotices(deps, request),
    now,
  };
}

/** htmx requests a part of the page; everything else wants the whole page. */
export const isPartial = ({ headers }: Request) => headers.get("hx-request-type") === "partial";

const isOwner = (request: Request): boolean => managerFor(request).manager.role === "owner";

/** Admits owners. Tells everyone else why not: `what` completes "Only owners can …". */
export const ownersOnly = (request: Request, what: string): Response | undefined =>
  isOwner(request) ? undefined : forOwners(what);

export const forOwners = (what: string) =>
  page(<ErrorSheet title="Owners only" message={`Only owners can ${what}. Ask an owner.`} />, 403);

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
  if (notice)
    contextOf(request).awaitBeforeResponse(sessionNotices.leaveNotice(db, managerFor(request).session, notice));
}

/** Returns the notices left for this session, once. */
function takeNotices({ db }: Pick<Deps, "db">, request: Request): Notice[] {
  const { session } = managerFor(request);
  if (!session.notices) return [];
  contextOf(request).awaitBeforeResponse(sessionNotices.clearNotices(db, session));
  return session.notices as Notice[];
}
