import { z } from "zod";
import * as apiKeys from "../../../db/access/api-keys";
import { Confirm } from "../../../views/components/dialog";
import type { FieldError } from "../../../views/components/form";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { spoken } from "../../../views/components/time";
import { KeyList, KeysHead } from "../../../views/dashboard/access/api-keys";
import { NewKey, NewKeyForm } from "../../../views/dashboard/access/new-api-key";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/request-schemas";
import { issueOnce, redeemOnce } from "../../security/form-token";
import { actorOf, isFresh, managerFor, requireFresh } from "../../security/session";
import { visitOf } from "../../http/request-context";
import { ask, done, queryBefore, seeOther, showList } from "../responses";
import { oneOf, pageNumber, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { paths } from "../../../views/paths";

const path = paths.apiKeys;

/** What the URL says about the list. */
const Query = z.object({
  status: oneOf(["active", "inactive"]),
  sort: z.enum(["created", "-created", "used", "-used"]).catch("-created").default("-created"),
  page: pageNumber,
});

const NewKeyInput = z.object({ name: z.string().catch(""), once: z.string().catch("") }).catch({ name: "", once: "" });
const keyName = line({ min: 1, max: 60 });

const alreadyShown = "That key was already shown. Deactivate it and generate a new one if you did not save it.";

export const apiKeysDashboard = (deps: Deps) => {
  const { config, db, now } = deps;

  async function listFor(frame: Frame, given: Record<string, unknown>) {
    const { status, sort, page } = Query.parse(given);
    const active = status ? status === "active" : undefined;
    const [found, counts] = await Promise.all([
      apiKeys.find(db, { active }, sort, { page, per: 50 }),
      apiKeys.counts(db),
    ]);
    return <KeyList frame={frame} state={stateHere(given)} counts={counts} {...found} />;
  }

  async function doneWith(request: Request, notice: Notice) {
    const frame = await frameOf(deps, request);
    const query = queryBefore(request, path);
    return done(request, {
      frame,
      title: "API keys",
      list: await listFor(frame, query),
      back: listUrl(stateHere(query), {}),
      notice,
    });
  }

  async function askName(request: Request, refused?: { name: string; errors: FieldError[] }) {
    const frame = await frameOf(deps, request);
    const once = visitOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
    const form = <NewKeyForm frame={frame} once={once} {...refused} />;
    return ask(request, { frame, title: "Generate a new key", status: refused ? 422 : 200, children: form });
  }

  async function reveal(request: Request, { key, row }: { key: string; row: apiKeys.ApiKey }) {
    const frame = await frameOf(deps, request);
    const list = await listFor(frame, queryBefore(request, path));
    return ask(request, {
      frame,
      title: "Copy your new key",
      status: 201,
      dismiss: "by-button",
      children: <NewKey secret={key} row={row} blogUrl={config.BLOG_URL} />,
      meanwhile: list,
    });
  }

  return pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const head = <KeysHead isFresh={isFresh(managerFor(request), now())} />;
      return showList(request, { frame, title: "API keys", head, list: await listFor(frame, query) });
    })
    .get("/new", ({ request }) => requireFresh(request, now()) ?? askName(request))
    .post("/", async ({ request, body }) => {
      const stale = requireFresh(request, now());
      if (stale) return stale;
      const { name, once } = NewKeyInput.parse(body);
      // Before anything else: the same form again, by reload or a double click, is not a new wish
      if (!(await redeemOnce(deps, managerFor(request).session, once)))
        return seeOther(request, path, { kind: "bad", text: alreadyShown });
      const named = keyName.safeParse(name);
      if (!named.success) return askName(request, { name, errors: [nameMissing] });
      const made = await apiKeys.generateFor(
        db,
        actorOf(request),
        { prefix: config.KEY_PREFIX, name: named.data },
        now(),
      );
      return made ? reveal(request, made) : askName(request, { name, errors: [nameTaken] });
    })
    .get("/:id/deactivate", async ({ request, params: { id } }) => {
      const [frame, apiKey] = await Promise.all([frameOf(deps, request), apiKeys.byId(db, id)]);
      if (!apiKey?.active) return seeOther(request, path, already(apiKey));
      return ask(request, {
        frame,
        title: `Deactivate “${apiKey.name}”?`,
        children: (
          <Confirm frame={frame} action={`${path}/${id}/deactivate`} verb="Deactivate key" cancel={path}>
            <p>{lastUse(apiKey, frame)} Requests with this key get 401 at once. This can’t be undone.</p>
            <p class="hint">Create the new key first if you are replacing it: both work side by side.</p>
          </Confirm>
        ),
      });
    })
    .post("/:id/deactivate", async ({ request, params: { id } }) => {
      const found = await apiKeys.deactivate(db, id, actorOf(request), now());
      if (!found?.isChanged) return doneWith(request, already(found?.key));
      return doneWith(request, { kind: "good", text: `“${found.key.name}” is deactivated.` });
    });
};

const nameMissing = { field: "name", message: "Give the key a name of 1 to 60 characters, on one line." };
const nameTaken = { field: "name", message: "An active key has this name already. Choose another one." };

const already = (apiKey: apiKeys.ApiKey | undefined): Notice => ({
  kind: "good",
  text: apiKey ? `“${apiKey.name}” was deactivated already.` : "There is no such key any more.",
});

const lastUse = ({ lastUsedAt }: apiKeys.ApiKey, frame: Frame) =>
  lastUsedAt ? `It was used ${spoken(lastUsedAt, frame)}.` : "It was never used.";

const stateHere = (given: Record<string, unknown>) => stateOf(path, Query, Query.parse(given));
