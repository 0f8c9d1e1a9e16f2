import { z } from "zod";
import * as managers from "../../../../db/access/managers";
import type { Unchanged } from "../../../../db/access/other-managers";
import { removeManager, setUpBy } from "../../../../db/manager-removal";
import type { Notice } from "../../../../views/components/frame";
import { RemoveManager } from "../../../../views/dashboard/access/removal";
import { paths } from "../../../../views/paths";
import type { Deps } from "../../deps";
import { actorOf, managerFor } from "../../../security/session/session";
import { ask, seeOther } from "../../responses";
import { frameOf } from "../../pages";

export const path = paths.managers;

const maxKept = 1_000;
/** The IDs of what the owner takes over. */
const Kept = z.object({ keep: z.union([z.string(), z.array(z.string()).max(maxKept)]).optional() }).catch({});

/** Asks before a manager is removed, and names what they set up that would go on without them. */
export async function askRemoval(deps: Deps, request: Request, id: string) {
  const frame = await frameOf(deps, request);
  const manager = await managers.byId(deps.db, id);
  if (!manager) return seeOther(request, path, noticeOf("gone", ""));
  const setUp = await setUpBy(deps.db, manager, deps.now());
  const getsNotifications = setUp.getsNotifications && !deps.config.OWNER_EMAIL;
  const children = <RemoveManager frame={frame} manager={manager} {...setUp} getsNotifications={getsNotifications} />;
  return ask(request, { frame, title: `Remove ${manager.name || manager.email}?`, children });
}

export async function remove({ db, now }: Deps, request: Request, id: string, body: unknown) {
  const keep = new Set([Kept.parse(body).keep ?? []].flat());
  const changed = await removeManager(
    db,
    { actingManager: managerFor(request).manager, id, keep },
    actorOf(request),
    now(),
  );
  return seeOther(request, path, noticeOf(changed, "was removed"));
}

const refusals: Record<Unchanged, string> = {
  yourself: "You cannot do this to your own account. Ask another owner.",
  gone: "That manager was already removed.",
  "not-allowed": "You are no longer an owner.",
};

export const noticeOf = (changed: managers.Manager | Unchanged, what: string): Notice =>
  typeof changed === "string"
    ? { kind: changed === "gone" ? "good" : "bad", text: refusals[changed] }
    : { kind: "good", text: `${changed.name || changed.email} ${what}.` };
