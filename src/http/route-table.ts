/** Routes as Elysia lists them. */
export type Routed = { routes: { method: string; path: string }[] };

const tables = new WeakMap<Routed, ReturnType<typeof routeTable>>();

/** Returns the methods that a path supports, by the patterns of the routes. */
export function methodsOf(area: Routed, pathname: string): string[] {
  const table = tables.get(area) ?? routeTable(area);
  tables.set(area, table);
  const methods = new Set(table.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method));
  if (methods.has("GET")) methods.add("HEAD");
  return methods.size ? [...methods, "OPTIONS"].sort() : [];
}

function routeTable({ routes }: Routed) {
  return routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(
      `^${path
        .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
        .replace(/\/$/, "")
        .replace(/:[^/]+/g, "[^/]+")
        .replace(/\*/g, ".*")}/?$`,
    ),
  }));
}
