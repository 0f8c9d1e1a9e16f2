import { z } from "zod";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import * as keyList from "../../../../db/access/keys/list";
import type { Frame, Notice } from "../../../../views/components/frame";
import { listUrl } from "../../../../views/components/list";
import { KeyList } from "../../../../views/dashboard/access/api-keys";
import { NewKey } from "../../../../views/dashboard/access/new-api-key";
import { paths } from "../../../../views/paths";
import type { Deps } from "../../deps";
import { oneOf, pageNumber, stateOf } from "../../list-query";
import { frameOf } from "../../pages";
import { ask, done, queryBefore } from "../../responses";

export const path = paths.apiKeys;
export const title = "API keys";

/** The list's parameters in the URL. */
const Query = z.object({
  status: oneOf(["active", "inactive"]),
  sort: z.enum(["created", "-created", "used", "-used"]).catch("-created").default("-created"),
  page: pageNumber,
});

export const alreadyShown = "That key was already shown. Deactivate it and generate a new one if you did not save it.";

/** Reads the list for these parameters. */
export async function listFor({ db }: Deps, frame: Frame, given: Record<string, unknown>) {
  const { status, sort, page } = Query.parse(given);
  const active = status ? status === "active" : undefined;
  const [found, counts] = await Promise.all([
    keyList.find(db, { active }, sort, { page, per: 50 }, frame.now),
    keyList.counts(db, frame.now),
  ]);
  return <KeyList frame={frame} state={stateHere(given)} counts={counts} {...found} />;
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, notice: Notice) {
  const frame = await frameOf(deps, request);
  const query = queryBefore(request, path);
  const list = await listFor(deps, frame, query);
  return done(request, { frame, title, list, back: listUrl(stateHere(query), {}), notice });
}

/** Shows a new key, once. */
export async function reveal(deps: Deps, request: Request, { key, row }: { key: string; row: apiKeys.ApiKey }) {
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

const stateHere = (given: Record<string, unknown>) => stateOf(path, Query, Query.parse(given));
