import { preflightHeaders } from "../security/headers";
import type { ErrorCode } from "../security/refusal";
import type { RequestContext } from "../platform/request-context";

/** The response to a failure outside every area: an envelope under /api, a page elsewhere (D6). */
export type Failure = (
  request: Request,
  pathname: string,
  status: number,
  code: ErrorCode,
  message: string,
) => Response | Promise<Response>;

/** The app's response to an unknown path or method; the pipeline replaces it with the right one. */
export const notRouted = () => new Response(null, { status: 404, headers: { [unrouted]: "1" } });
export const unrouted = "x-unrouted";

/** Responds if no route matches, or none knows the resource: to OPTIONS, to a wrong method, or with not found. */
export function unroutedResponse(context: RequestContext, methods: string[], failure: Failure) {
  const { request, pathname } = context;
  const isOptions = request.method === "OPTIONS";
  if (!methods.length || (!isOptions && methods.includes(request.method)))
    return failure(request, pathname, 404, "NOT_FOUND", "There is no resource at this URL.");
  context.headers.allow = methods.join(", ");
  if (!isOptions)
    return failure(request, pathname, 405, "METHOD_NOT_ALLOWED", `This resource supports only ${methods.join(", ")}.`);
  const isPreflight = request.headers.has("access-control-request-method");
  return new Response(null, { status: 204, headers: isPreflight ? preflightHeaders(pathname, methods) : {} });
}

/** Routes as Elysia lists them. */
export type Routed = { routes: { method: string; path: string }[] };

const tables = new WeakMap<Routed, ReturnType<typeof routeTable>>();

/**
 * Returns the methods that a path supports: those of its own routes, or if it has none, of those with a parameter there.
 */
export function methodsOf(area: Routed, pathname: string): string[] {
  const table = tables.get(area) ?? routeTable(area);
  tables.set(area, table);
  const matching = table.filter(({ pattern }) => pattern.test(pathname));
  const own = matching.filter(({ isLiteral }) => isLiteral);
  const methods = new Set((own.length ? own : matching).map(({ method }) => method));
  if (methods.has("GET")) methods.add("HEAD");
  return methods.size ? [...methods, "OPTIONS"].sort() : [];
}

function routeTable({ routes }: Routed) {
  return routes.map(({ method, path }) => ({
    method,
    isLiteral: !/[:*]/.test(path),
    pattern: new RegExp(
      `^${path
        .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
        .replace(/\/$/, "")
        .replace(/:[^/]+/g, "[^/]+")
        .replace(/\*/g, ".*")}/?$`,
    ),
  }));
}
