import { z } from "zod";
import * as apiKeys from "../../../db/access/api-keys";
import { Confirm } from "../../../views/components/dialog";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { spoken } from "../../../views/components/time";
import { KeyList, KeysHead } from "../../../views/dashboard/access/api-keys";
import { NewKey, NewKeyForm } from "../../../views/dashboard/access/new-api-key";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/request-schemas";
import { issueOnce, redeemOnce } from "../../security/form-token";
import { actorOf, isFresh, managerFor, requireFresh } from "../../security/session";
import { contextOf } from "../../http/request-context";
import { ask, done, queryBefore, seeOther, showList } from "../responses";
import { oneOf, pageNumber, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { paths } from "../../../views/paths";

const path = paths.apiKeys;
const title = "API keys";

/** What the URL says about the list. */
const Query = z.object({
  status: oneOf(["active", "inactive"]),
  sort: z.enum(["created", "-created", "used", "-used"]).catch("-created").default("-created"),
  page: pageNumber,
});

const NewKeyInput = z.object({ name: z.string().catch(""), once: z.string().catch("") }).catch({ name: "", once: "" });
const keyName = line({ min: 1, max: 60 });

const alreadyShown = "That key was already shown. Deactivate it and generate a new one if you did not save it.";

/** `/dashboard/api-keys`: the keys of your sites, which are shown once and deactivated here. */
export const apiKeysDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => showKeys(deps, request, query))
    .get("/new", ({ request }) => requireFresh(request, deps.now()) ?? askName(deps, request))
    .post("/", ({ request, body }) => requireFresh(request, deps.now()) ?? generate(deps, request, body))
    .get("/:id/deactivate", ({ request, params: { id } }) => askToDeactivate(deps, request, id))
    .post("/:id/deactivate", ({ request, params: { id } }) => deactivate(deps, request, id));

async function listFor({ db }: Deps, frame: Frame, given: Record<string, unknown>) {
  const { status, sort, page } = Query.parse(given);
  const active = status ? status === "active" : undefined;
  const [found, counts] = await Promise.all([
    apiKeys.find(db, { active }, sort, { page, per: 50 }),
    apiKeys.counts(db),
  ]);
  return <KeyList frame={frame} state={stateHere(given)} counts={counts} {...found} />;
}

async function showKeys(deps: Deps, request: Request, query: Record<string, unknown>) {
  const frame = await frameOf(deps, request);
  const head = <KeysHead isFresh={isFresh(managerFor(request), deps.now())} />;
  return showList(request, { frame, title, head, list: await listFor(deps, frame, query) });
}

/** The list as it was before the action, with what the action did to it. */
async function doneWith(deps: Deps, request: Request, notice: Notice) {
  const frame = await frameOf(deps, request);
  const query = queryBefore(request, path);
  const list = await listFor(deps, frame, query);
  return done(request, { frame, title, list, back: listUrl(stateHere(query), {}), notice });
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
  const { name, once } = NewKeyInput.parse(body);
  if (!(await redeemOnce(deps, managerFor(request).session, once)))
    return seeOther(request, path, { kind: "bad", text: alreadyShown });
  const { data: validName } = keyName.safeParse(name);
  if (validName === undefined) return askName(deps, request, { name, errors: [nameMissing] });
  const made = await apiKeys.generateFor(db, actorOf(request), { prefix: config.KEY_PREFIX, name: validName }, now());
  return made ? reveal(deps, request, made) : askName(deps, request, { name, errors: [nameTaken] });
}

async function reveal(deps: Deps, request: Request, { key, row }: { key: string; row: apiKeys.ApiKey }) {
  const frame = await frameOf(deps, request);
  const list = await listFor(deps, frame, queryBefore(request, path));
  return ask(request, {
    frame,
    title: "Copy your new key",
    status: 201,
    dismiss: "by-button",
    children: <NewKey secret={key} row={row} blogUrl={deps.config.BLOG_URL} />,
    meanwhile: list,
  });
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
        <p class="hint">If you are replacing it, generate the new key first. Both can be active at the same time.</p>
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

const stateHere = (given: Record<string, unknown>) => stateOf(path, Query, Query.parse(given));
