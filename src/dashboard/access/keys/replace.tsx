import { z } from "zod";
import { hourMs } from "../../../../db/lib/time";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import { isAccepted } from "../../../../db/access/keys/api-keys";
import { extend, replace } from "../../../../db/access/keys/expiry";
import type { Orm } from "../../../../db/engine/open";
import { ReplaceKeyForm } from "../../../../views/dashboard/access/api-keys";
import { exact } from "../../../../views/components/time";
import type { Deps } from "../../deps";
import { contextOf } from "../../../platform/request-context";
import { issueOnce, submitOnce } from "../../../security/forgery";
import { actorOf, managerFor } from "../../../security/session";
import { frameOf } from "../../pages";
import { seeOther, showDialog } from "../../responses";
import { alreadyShown, doneWith, path, reveal } from "./list";

const graceMs = { month: 30 * 24 * hourMs, week: 7 * 24 * hourMs, day: 24 * hourMs, now: 0 };
const Answer = z
  .object({
    once: z.string().catch(""),
    stops: z.enum(["month", "week", "day", "now"]).catch("week"),
    quiet: z.literal("yes").optional().catch(undefined),
  })
  .catch({ once: "", stops: "week", quiet: undefined });

const tooLate = { kind: "bad" as const, text: "Nothing changed: this key is inactive, or was already replaced." };

export async function askToReplace(deps: Deps, request: Request, id: string) {
  const [frame, apiKey] = await Promise.all([frameOf(deps, request), apiKeys.byId(deps.db, id)]);
  if (!apiKey || !isAccepted(apiKey, frame.now) || apiKey.replacedBy) return seeOther(request, path, tooLate);
  const once = contextOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const stopsAt = new Date(frame.now.getTime() + graceMs.week);
  const children = <ReplaceKeyForm frame={frame} apiKey={apiKey} once={once} stopsAt={stopsAt} />;
  return showDialog(request, { frame, title: `Replace “${apiKey.name}”`, children });
}

/** Generates the new key. The form's token is used up, so that sending it twice generates no third key. */
export async function replaceKey(deps: Deps, request: Request, id: string, body: unknown) {
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
export async function extendKey(deps: Deps, request: Request, id: string) {
  const until = new Date(deps.now().getTime() + graceMs.week);
  const key = await extend(deps.db, id, until, actorOf(request), deps.now());
  if (!key) return doneWith(deps, request, { kind: "bad", text: "Nothing changed: this key has stopped." });
  const { preferences } = await frameOf(deps, request);
  const text = `The old key “${key.name}” works until ${exact(until, preferences)}.`;
  return doneWith(deps, request, { kind: "good", text });
}
