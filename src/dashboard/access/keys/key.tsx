import * as apiKeys from "../../../../db/access/keys/api-keys";
import { isAccepted } from "../../../../db/access/keys/api-keys";
import { callersOf } from "../../../../db/access/keys/callers";
import { scopesOfBefore } from "../../../../db/schema/scopes";
import { KeyPage } from "../../../../views/dashboard/access/api-key";
import type { Deps } from "../../deps";
import { frameOf } from "../../pages";
import { notThere, show } from "../../responses";
import { path } from "./list";

/** The page of one key: its limits, and who uses it. */
export async function showKey(deps: Deps, request: Request, id: string) {
  const [frame, row] = await Promise.all([frameOf(deps, request), apiKeys.byId(deps.db, id)]);
  if (!row) return notThere(frame, "This API key no longer exists.", path);
  const apiKey = { ...row, isAccepted: isAccepted(row, frame.now) };
  const callers = await callersOf(deps.db, id);
  const page = <KeyPage frame={frame} apiKey={apiKey} scopes={row.scopes ?? scopesOfBefore} callers={callers} />;
  return show({ frame, title: row.name }, page);
}
