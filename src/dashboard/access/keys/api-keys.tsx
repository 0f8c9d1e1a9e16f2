import * as apiKeys from "../../../../db/access/keys/api-keys";
import { isAccepted } from "../../../../db/access/keys/api-keys";
import { callersOf } from "../../../../db/access/keys/callers";
import { scopesOfBefore } from "../../../../db/schema/scopes";
import { Confirm } from "../../../../views/components/confirm";
import type { Frame, Notice } from "../../../../views/components/frame";
import { spoken } from "../../../../views/components/time";
import { KeyPage } from "../../../../views/dashboard/access/api-key";
import { actorOf, requireFresh } from "../../../security/session";
import type { Deps } from "../../deps";
import { frameOf, pages } from "../../pages";
import { forManagers } from "../../permissions";
import { notThere, seeOther, show as showPage, showDialog } from "../../responses";
import { askName, generate } from "./generate";
import { doneWith, path, show } from "./list";
import { askToReplace, extendKey, replaceKey } from "./replace";

/** `/dashboard/api-keys`: generates, shows once, replaces and deactivates API keys. */
export const apiKeysDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => requireFresh(request, deps.now()) ?? askName(deps, request))
    .post("/", ({ request, body }) => requireFresh(request, deps.now()) ?? generate(deps, request, body))
    .get("/:id", ({ request, params: { id } }) => showKey(deps, request, id))
    .get(
      "/:id/replace",
      ({ request, params: { id } }) => requireFresh(request, deps.now()) ?? askToReplace(deps, request, id),
    )
    .post(
      "/:id/replace",
      ({ request, params: { id }, body }) => requireFresh(request, deps.now()) ?? replaceKey(deps, request, id, body),
    )
    .post(
      "/:id/extend",
      ({ request, params: { id } }) => requireFresh(request, deps.now()) ?? extendKey(deps, request, id),
    )
    .get("/:id/deactivate", ({ request, params: { id } }) => askToDeactivate(deps, request, id))
    .post("/:id/deactivate", ({ request, params: { id } }) => deactivate(deps, request, id));

/** The page of one key: its limits, and who uses it. */
async function showKey(deps: Deps, request: Request, id: string) {
  const [frame, row] = await Promise.all([frameOf(deps, request), apiKeys.byId(deps.db, id)]);
  if (!row) return notThere(frame, "This API key no longer exists.", path);
  const apiKey = { ...row, isAccepted: isAccepted(row, frame.now) };
  const callers = await callersOf(deps.db, id);
  const page = <KeyPage frame={frame} apiKey={apiKey} scopes={row.scopes ?? scopesOfBefore} callers={callers} />;
  return showPage({ frame, title: row.name }, page);
}

async function askToDeactivate(deps: Deps, request: Request, id: string) {
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

async function deactivate(deps: Deps, request: Request, id: string) {
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
