import type { AnyElysia } from "elysia";
import type { Role } from "../../db/access/managers";
import { roleSentence } from "../../views/components/roles";
import type { Failure } from "../../views/error";

/**
 * Who may use an area of the dashboard. Every area declares it (see `pages`); the navigation, the palette, search
 * results, buttons and live events ask `may`, which reads the same declarations.
 */
export type Permission = {
  /** Besides owners, who may use everything. */
  roles: readonly Exclude<Role, "owner">[];
  /** For owners only: completes "Only owners can …". */
  what?: string;
  /** Also for those who still have to set up two-step verification or a passkey. */
  isForOverdue?: boolean;
};

export const forManagers: Permission = { roles: ["manager"] };
/** What is written and shown on the sites, and the files it needs. */
export const forEditors: Permission = { roles: ["manager", "editor"] };
/** Figures, without anyone's name, address or words. */
export const forAnalysts: Permission = { roles: ["manager", "analyst"] };
export const forEveryone: Permission = { roles: ["manager", "editor", "analyst"] };
/** Everyone's own account. */
export const forOwnAccount: Permission = { ...forEveryone, isForOverdue: true };
export const forOwners = (what: string): Permission => ({ roles: [], what });

export const allows = ({ roles }: Permission, role: Role): boolean => role === "owner" || roles.includes(role);

/** Says why someone with this role is refused. */
export function refusedBy({ what }: Permission, role: Role): Failure {
  const only = what && `Only owners can ${what}. Ask an owner.`;
  return {
    title: only ? "Owners only" : "Not part of your role",
    message: only ?? `${roleSentence[role]} Ask an owner if you need more.`,
  };
}

type Route = { segments: string[]; area: AnyElysia };

const declarations = new WeakMap<object, Permission>();

/** Declares who may use the routes of this area. */
export function declare<Area extends AnyElysia>(area: Area, permission: Permission): Area {
  declarations.set(area, permission);
  return area;
}

/** The routes of each dashboard, by their method and number of segments. */
const tables = new WeakMap<object, Map<string, Route[]>>();

const segmentsOf = (path: string) => path.split(/[?#]/, 1).join().split("/").filter(Boolean);
const isParameter = (segment: string | undefined) => Boolean(segment?.startsWith(":"));
const keyOf = (method: string, { length }: string[]) => `${method} ${length}`;

/** Remembers the routes of these areas, for all that share `deps`. */
export function rememberRoutes(deps: object, areas: AnyElysia[]): void {
  const routes = areas.flatMap((area) =>
    area.routes.map(({ method, path }) => ({ method, segments: segmentsOf(path), area })),
  );
  tables.set(
    deps,
    Map.groupBy(routes, ({ method, segments }) => keyOf(method, segments)),
  );
}

function byPrecedence(a: Route, b: Route): number {
  const at = a.segments.findIndex((segment, i) => isParameter(segment) !== isParameter(b.segments[i]));
  return at < 0 ? 0 : isParameter(a.segments[at]) ? 1 : -1;
}

/** Returns the area with the route that a path leads to; undefined if there is none. */
export function areaFor(deps: object, path: string, method: string): AnyElysia | undefined {
  const wanted = segmentsOf(path);
  const routes = tables.get(deps)?.get(keyOf(method, wanted)) ?? [];
  const matching = routes.filter(({ segments }) =>
    segments.every((segment, at) => isParameter(segment) || segment === wanted[at]),
  );
  return matching.sort(byPrecedence)[0]?.area; // like the router, a name comes before a parameter
}

/** Returns who may use the route that a path leads to; undefined if none has declared it. */
export function permissionFor(deps: object, path: string, method: string): Permission | undefined {
  const area = areaFor(deps, path, method);
  return area && declarations.get(area);
}

/** Whether someone with this role may use the route that a path leads to. Without a declaration, only owners may. */
export const mayUse = (deps: object, role: Role, path: string, method = "GET"): boolean =>
  role === "owner" || (permissionFor(deps, path, method)?.roles.includes(role) ?? false);
