import { z } from "zod";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { isAccepted } from "../../../db/access/keys/api-keys";
import { callersOf } from "../../../db/access/keys/callers";
import { extend, replace } from "../../../db/access/keys/expiry";
import type { Orm } from "../../../db/engine/open";
import { dayMs, hourMs } from "../../../db/lib/time";
import { scopes, scopesOfBefore } from "../../../db/schema/scopes";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Frame, Notice } from "../../../views/components/frame";
import { exact, spoken } from "../../../views/components/time";
import { KeyPage } from "../../../views/dashboard/access/api-key";
import { KeyList, KeysHead, ReplaceKeyForm } from "../../../views/dashboard/access/api-keys";
import { NewKey, NewKeyForm } from "../../../views/dashboard/access/new-api-key";
import { paths } from "../../../views/paths";
import {
  keyFolder,
  keyName,
  keyNetworks,
  keyTypes,
  readNetworks,
  readScopes,
  readUploadLimits,
} from "../../fields/api-key";
import { inputOf } from "../../fields/field";
import { contextOf } from "../../platform/request-context";
import { issueOnce, submitOnce } from "../../security/forgery";
import { actorOf, isFresh, managerFor, requireFresh } from "../../security/session";
import type { Deps } from "../deps";
import { listHandlers } from "../list-handlers";
import { oneOf, pageNumber } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { forManagers } from "../permissions";
import { notThere, seeOther, show as showPage, showDialog } from "../responses";

const path = paths.apiKeys;

/** The list's parameters in the URL. */
const Query = z.object({
  status: oneOf(["active", "inactive"]),
  sort: z.enum(["created", "-created", "used", "-used"]).catch("-created").default("-created"),
  page: pageNumber,
});

const alreadyShown = "That key was already shown. Deactivate it and generate a new one if you did not save it.";

export const { show, listBefore, doneWith } = listHandlers({
  path,
  title: "API keys",
  Query,
  Head: ({ deps, request }) => <KeysHead isFresh={isFresh(managerFor(request), deps.now())} />,
  async list({ deps: { db }, query: { status, sort, page }, frame, state }) {
    const active = status ? status === "active" : undefined;
    const [keys, counts] = await Promise.all([
      apiKeys.findPage(db, { active }, sort, { page, per: 50 }, frame.now),
      apiKeys.countKeys(db, frame.now),
    ]);
    const rows = keys.rows.map((key) => ({ ...key, scopes: [...(key.scopes ?? scopesOfBefore)] }));
    return <KeyList frame={frame} state={state} counts={counts} {...keys} rows={rows} />;
  },
});

/** Shows a new key, once. */
async function reveal(deps: Deps, request: Request, { key, row }: { key: string; row: apiKeys.ApiKey }) {
  const { frame, list } = await listBefore(deps, request);
  return showDialog(request, {
    frame,
    title: "Copy your new key",
    status: 201,
    dismiss: "by-button",
    children: (
      <NewKey
        secret={key}
        row={row}
        baseUrl={deps.config.BASE_URL}
        scopes={row.scopes ?? scopesOfBefore}
        isPage={!isPartial(request)}
      />
    ),
    meanwhile: list,
  });
}

const text = z.string().catch("");
const KeyForm = z.object({
  name: text,
  once: text,
  days: z.enum(["30", "90", "365"]).or(z.literal("")).catch(""),
  networks: text,
  maxBytes: text,
  types: text,
  folder: text,
  /** The form with scopes, of which none may be ticked. A program may send only the name. */
  limited: text,
  scopes: z
    .union([z.string(), z.array(z.string())])
    .transform((ticked) => scopes.filter((scope) => [ticked].flat().includes(scope)))
    .catch([]),
});
const unlimited = { maxBytes: "", types: "", folder: "" };
const nothing = { name: "", once: "", days: "" as const, networks: "", limited: "", scopes: [], ...unlimited };
type Filled = z.infer<typeof KeyForm>;

const inputs = {
  name: inputOf("name", keyName),
  networks: inputOf("networks", keyNetworks),
  types: inputOf("types", keyTypes),
  folder: inputOf("folder", keyFolder),
};

const unfilled = { name: "", days: "", networks: "", scopes: scopesOfBefore, ...unlimited };

async function askName(deps: Deps, request: Request, refused?: { values: Filled; errors: FieldError[] }) {
  const frame = await frameOf(deps, request);
  const context = contextOf(request);
  const once = context.isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const { values, errors } = refused ?? { values: unfilled, errors: [] };
  const form = (
    <NewKeyForm frame={frame} once={once} inputs={inputs} values={values} address={context.address} errors={errors} />
  );
  return showDialog(request, { frame, title: "Generate new key", status: refused ? 422 : 200, children: form });
}

/** Generates a key. The form's token is used up, so that sending it twice generates no second key. */
async function generate(deps: Deps, request: Request, body: unknown) {
  const { config, now } = deps;
  const { data: values = nothing } = KeyForm.safeParse(body);
  const again = (...errors: FieldError[]) => askName(deps, request, { values, errors });
  const { data: name } = keyName.safeParse(values.name);
  if (name === undefined) return again(nameMissing);
  const chosen = values.limited ? readScopes(values.scopes) : { scopes: null };
  if ("problem" in chosen) return again(scopesMissing);
  const allowed = readNetworks(values.networks, config);
  if ("problem" in allowed) return again({ field: "networks", message: allowed.problem });
  const uploadable = readUploadLimits(values);
  if ("problem" in uploadable) return again({ field: uploadable.field, message: uploadable.problem });
  const expiresAt = values.days ? new Date(now().getTime() + Number(values.days) * dayMs) : undefined;
  const wanted = { prefix: config.KEY_PREFIX, name, expiresAt, ...chosen, ...allowed, ...uploadable };
  const work = (orm: Orm) => apiKeys.generateIn(orm, actorOf(request), wanted, now());
  const made = await submitOnce(deps, managerFor(request).session, values.once, work);
  if (made === "used") return seeOther(request, path, { kind: "bad", text: alreadyShown });
  return made ? reveal(deps, request, made) : again(nameTaken);
}

const nameMissing = { field: "name", message: "Enter a name (up to 60 characters)." };
const nameTaken = { field: "name", message: "Another active key already has this name. Choose a different name." };
const scopesMissing = { field: "scopes", message: "Choose at least one scope." };

const graceMs = { month: 30 * 24 * hourMs, week: 7 * 24 * hourMs, day: 24 * hourMs, now: 0 };
const Answer = z
  .object({
    once: z.string().catch(""),
    stops: z.enum(["month", "week", "day", "now"]).catch("week"),
    quiet: z.literal("yes").optional().catch(undefined),
  })
  .catch({ once: "", stops: "week", quiet: undefined });

const tooLate = { kind: "bad" as const, text: "Nothing changed: this key is inactive, or was already replaced." };

async function askToReplace(deps: Deps, request: Request, id: string) {
  const [frame, apiKey] = await Promise.all([frameOf(deps, request), apiKeys.byId(deps.db, id)]);
  if (!apiKey || !isAccepted(apiKey, frame.now) || apiKey.replacedBy) return seeOther(request, path, tooLate);
  const once = contextOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const stopsAt = new Date(frame.now.getTime() + graceMs.week);
  const children = <ReplaceKeyForm frame={frame} apiKey={apiKey} once={once} stopsAt={stopsAt} />;
  return showDialog(request, { frame, title: `Replace “${apiKey.name}”`, children });
}

/** Generates the new key. The form's token is used up, so that sending it twice generates no third key. */
async function replaceKey(deps: Deps, request: Request, id: string, body: unknown) {
  const { config, now } = deps;
  const { once, stops, quiet } = Answer.parse(body);
  const stopsAt = new Date(now().getTime() + graceMs[stops]);
  const wanted = { id, prefix: config.KEY_PREFIX, stopsAt, endsWhenQuiet: quiet === "yes" };
  const work = (orm: Orm) => replace(orm, wanted, actorOf(request), now());
  const made = await submitOnce(deps, managerFor(request).session, once, work);
  if (made === "used") return seeOther(request, path, { kind: "bad", text: alreadyShown });
  return made ? reveal(deps, request, made) : seeOther(request, path, tooLate);
}

/** Gives a replaced key another week. */
async function extendKey(deps: Deps, request: Request, id: string) {
  const until = new Date(deps.now().getTime() + graceMs.week);
  const key = await extend(deps.db, id, until, actorOf(request), deps.now());
  if (!key) return doneWith(deps, request, { kind: "bad", text: "Nothing changed: this key has stopped." });
  const { preferences } = await frameOf(deps, request);
  const text = `The old key “${key.name}” works until ${exact(until, preferences)}.`;
  return doneWith(deps, request, { kind: "good", text });
}

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
