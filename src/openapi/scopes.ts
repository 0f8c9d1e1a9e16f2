import type { DocumentDecoration } from "elysia";
import { type Scope, scopes } from "../../db/schema/scopes";

/** For the `detail` of a keyed route: the scope that a key needs for it. */
export const needs = (scope: Scope): { apiKey: [Scope] }[] => [{ apiKey: [scope] }];

type Route = { method: string; path: string; hooks?: { detail?: DocumentDecoration } };

/** Returns the scope that a route needs; undefined if it declares none. */
export function scopeOf({ security }: Pick<DocumentDecoration, "security">): Scope | undefined {
  const [name] = security?.[0]?.apiKey ?? [];
  return scopes.find((scope) => scope === name);
}

/** Looks up the scopes of these routes, as requests name them: "GET /api/v1/posts/:slug". */
export function scopesOf(routes: readonly Route[]): ReadonlyMap<string, Scope> {
  const table = new Map<string, Scope>();
  for (const { method, path, hooks } of routes) {
    const scope = scopeOf(hooks?.detail ?? {});
    if (scope) table.set(`${method} ${path}`, scope);
  }
  return table;
}
