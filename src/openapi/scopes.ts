import type { DocumentDecoration } from "elysia";
import { type Scope, scopes } from "../../db/schema/scopes";

/** For the `detail` of a keyed route: the scope that a key needs for it. */
export const needs = (scope: Scope): { apiKey: [Scope] }[] => [{ apiKey: [scope] }];

type Route = { method: string; path: string; hooks?: unknown };

/** Returns the scope that a route needs; undefined if it declares none. */
export function scopeOf({ hooks }: Pick<Route, "hooks">): Scope | undefined {
  const { detail } = (hooks ?? {}) as { detail?: DocumentDecoration };
  const [name] = detail?.security?.[0]?.apiKey ?? [];
  return scopes.find((scope) => scope === name);
}

/** Looks up the scopes of these routes, as requests name them: "GET /api/v1/posts/:slug". */
export function scopesOf(routes: readonly Route[]): ReadonlyMap<string, Scope> {
  const table = new Map<string, Scope>();
  for (const route of routes) {
    const scope = scopeOf(route);
    if (scope) table.set(`${route.method} ${route.path}`, scope);
  }
  return table;
}
