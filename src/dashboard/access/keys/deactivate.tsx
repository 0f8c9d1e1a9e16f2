import * as apiKeys from "../../../../db/access/keys/api-keys";
import { Confirm } from "../../../../views/components/confirm";
import type { Frame, Notice } from "../../../../views/components/frame";
import { spoken } from "../../../../views/components/time";
import type { Deps } from "../../deps";
import { actorOf } from "../../../security/session/session";
import { seeOther, showDialog } from "../../responses";
import { frameOf } from "../../pages";
import { doneWith, path } from "./list";

export async function askToDeactivate(deps: Deps, request: Request, id: string) {
  const [frame, apiKey] = await Promise.all([frameOf(deps, request), apiKeys.byId(deps.db, id)]);
  if (!apiKey?.active) return seeOther(request, path, alreadyDeactivated(apiKey));
  return showDialog(request, {
    frame,
    title: `Deactivate “${apiKey.name}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${id}/deactivate`} verb="Deactivate key" cancel={path}>
        <p>{lastUse(apiKey, frame)} Requests with this key will fail immediately (401). This cannot be undone.</p>
        <p class="hint">To change a key without an interruption, replace it. Both work for a while then.</p>
      </Confirm>
    ),
  });
}

export async function deactivate(deps: Deps, request: Request, id: string) {
  const deactivated = await apiKeys.deactivate(deps.db, id, actorOf(request), deps.now());
  if (!deactivated?.isChanged) return doneWith(deps, request, alreadyDeactivated(deactivated?.key));
  return doneWith(deps, request, { kind: "good", text: `API key “${deactivated.key.name}” deactivated.` });
}

const alreadyDeactivated = (apiKey: apiKeys.ApiKey | undefined): Notice => ({
  kind: "good",
  text: apiKey ? `API key “${apiKey.name}” was already deactivated.` : "This API key no longer exists.",
});

const lastUse = ({ lastUsedAt }: apiKeys.ApiKey, frame: Frame) =>
  lastUsedAt ? `Last used ${spoken(lastUsedAt, frame)}.` : "Never used.";
