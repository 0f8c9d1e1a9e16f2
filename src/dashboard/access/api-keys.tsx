import { z } from "zod";
import * as apiKeys from "../../../db/access/api-keys";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Frame, Notice } from "../../../views/components/frame";
import { spoken } from "../../../views/components/time";
import { KeysHead } from "../../../views/dashboard/access/api-keys";
import { NewKeyForm } from "../../../views/dashboard/access/new-api-key";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/text/schemas";
import { issueOnce, redeemOnce } from "../../security/one-time-form";
import { actorOf, managerFor } from "../../security/session/session";
import { isFresh, requireFresh } from "../../security/session/rules";
import { contextOf } from "../../http/request-context";
import { ask, seeOther, showList } from "../responses";
import { frameOf, pages } from "../pages";
import { alreadyShown, doneWith, listFor, path, reveal, title } from "./key-list";
import { askToReplace, extendKey, replaceKey } from "./replace-key";

const NewKeyInput = z
  .object({
    name: z.string().catch(""),
    once: z.string().catch(""),
    days: z.enum(["30", "90", "365"]).optional().catch(undefined),
  })
  .catch({ name: "", once: "" });
const keyName = line({ min: 1, max: 60 });

const dayMs = 86_400_000;

/** `/dashboard/api-keys`: the keys of your sites, which are shown once and deactivated here. */
export const apiKeysDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => showKeys(deps, request, query))
    .get("/new", ({ request }) => requireFresh(request, deps.now()) ?? askName(deps, request))
    .post("/", ({ request, body }) => requireFresh(request, deps.now()) ?? generate(deps, request, body))
    .get(
      "/:id/replace",
      ({ request, params: { id } }) => requireFresh(request, deps.now()) ?? askToReplace(deps, request, id),
    )
    .post(
      "/:id/replace",
      ({ request, params: { id }, body }) => requireFresh(request, deps.now()) ?? replaceKey(deps, request, id, body),
    )
    .post("/:id/extend", ({ request, params: { id } }) => extendKey(deps, request, id))
    .get("/:id/deactivate", ({ request, params: { id } }) => askToDeactivate(deps, request, id))
    .post("/:id/deactivate", ({ request, params: { id } }) => deactivate(deps, request, id));

async function showKeys(deps: Deps, request: Request, query: Record<string, unknown>) {
  const frame = await frameOf(deps, request);
  const head = <KeysHead isFresh={isFresh(managerFor(request), deps.now())} />;
  return showList(request, { frame, title, head, list: await listFor(deps, frame, query) });
}

async function askName(deps: Deps, request: Request, refused?: { name: string; errors: FieldError[] }) {
  const frame = await frameOf(deps, request);
  const once = contextOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const form = <NewKeyForm frame={frame} once={once} {...refused} />;
  return ask(request, { frame, title: "Generate new key", status: refused ? 422 : 200, children: form });
}

/** Generates a key. The form is redeemed before anything else: sent twice, it does not ask for a second key. */
async function generate(deps: Deps, request: Request, body: unknown) {
  const { config, db, now } = deps;
  const { name, once, days } = NewKeyInput.parse(body);
  if (!(await redeemOnce(deps, managerFor(request).session, once)))
    return seeOther(request, path, { kind: "bad", text: alreadyShown });
  const { data: validName } = keyName.safeParse(name);
  if (validName === undefined) return askName(deps, request, { name, errors: [nameMissing] });
  const expiresAt = days && new Date(now().getTime() + Number(days) * dayMs);
  const wanted = { prefix: config.KEY_PREFIX, name: validName, ...(expiresAt && { expiresAt }) };
  const made = await apiKeys.generateFor(db, actorOf(request), wanted, now());
  return made ? reveal(deps, request, made) : askName(deps, request, { name, errors: [nameTaken] });
}

async function askToDeactivate(deps: Deps, request: Request, id: string) {
  const [frame, apiKey] = await Promise.all([frameOf(deps, request), apiKeys.byId(deps.db, id)]);
  if (!apiKey?.active) return seeOther(request, path, alreadyDeactivated(apiKey));
  return ask(request, {
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
  const found = await apiKeys.deactivate(deps.db, id, actorOf(request), deps.now());
  if (!found?.isChanged) return doneWith(deps, request, alreadyDeactivated(found?.key));
  return doneWith(deps, request, { kind: "good", text: `API key “${found.key.name}” deactivated.` });
}

const nameMissing = { field: "name", message: "Enter a name (up to 60 characters)." };
const nameTaken = { field: "name", message: "Another active key already has this name. Choose a different name." };

const alreadyDeactivated = (apiKey: apiKeys.ApiKey | undefined): Notice => ({
  kind: "good",
  text: apiKey ? `API key “${apiKey.name}” was already deactivated.` : "This API key no longer exists.",
});

const lastUse = ({ lastUsedAt }: apiKeys.ApiKey, frame: Frame) =>
  lastUsedAt ? `Last used ${spoken(lastUsedAt, frame)}.` : "Never used.";
