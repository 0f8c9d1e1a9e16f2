import * as apiKeys from "../../db/access/keys/api-keys";
import type { Actor } from "../../db/audit";
import type { Db } from "../../db/engine/open";
import { contextOf } from "../platform/request-context";

/** The key of a request, as the audit log names it. */
export async function keyActorOf(db: Db, request: Request): Promise<Actor> {
  const { apiKeyId = "", address } = contextOf(request);
  const key = await apiKeys.byId(db, apiKeyId);
  return { actor: `API key ${key?.name ?? apiKeyId}`, address };
}
