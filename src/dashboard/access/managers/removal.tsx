import * as apiKeys from "../../../../db/access/keys/api-keys";
import * as managers from "../../../../db/access/managers";
import * as otherManagers from "../../../../db/access/other-managers";
import { Confirm } from "../../../../views/components/confirm";
import { plural } from "../../../../views/components/list";
import type { Notice } from "../../../../views/components/frame";
import { paths } from "../../../../views/paths";
import type { Deps } from "../../../boot/deps";
import { actorOf, managerFor } from "../../../security/session/session";
import { ask, seeOther } from "../../responses";
import { frameOf } from "../../pages";

export const path = paths.managers;

export async function askRemoval(deps: Deps, request: Request, id: string) {
  const frame = await frameOf(deps, request);
  const manager = await managers.byId(deps.db, id);
  if (!manager) return seeOther(request, path, noticeOf("gone", ""));
  const keys = await apiKeys.countCreatedBy(deps.db, manager.email, deps.now());
  const children = (
    <Confirm frame={frame} action={`${path}/${id}/remove`} verb="Remove manager" cancel={path}>
      <p>
        {manager.name} ({manager.email}) will be signed out immediately and lose access, and their invitations will be
        withdrawn. Their entries stay in the audit log.
      </p>
      {keys > 0 && (
        <p>
          They created {plural(keys, "API key")} that will keep working. Deactivate any that they may still know under{" "}
          <a href={paths.apiKeys}>API keys</a>.
        </p>
      )}
    </Confirm>
  );
  return ask(request, { frame, title: `Remove ${manager.name || manager.email}?`, children });
}

export async function remove({ db, now }: Deps, request: Request, id: string) {
  const changed = await otherManagers.remove(db, managerFor(request).manager, id, actorOf(request), now());
  return seeOther(request, path, noticeOf(changed, "was removed"));
}

const refusals: Record<otherManagers.Unchanged, string> = {
  yourself: "You cannot do this to your own account. Ask another owner.",
  gone: "That manager was already removed.",
  "not-allowed": "You are no longer an owner.",
};

export const noticeOf = (changed: managers.Manager | otherManagers.Unchanged, what: string): Notice =>
  typeof changed === "string"
    ? { kind: changed === "gone" ? "good" : "bad", text: refusals[changed] }
    : { kind: "good", text: `${changed.name || changed.email} ${what}.` };
