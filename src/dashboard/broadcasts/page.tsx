import { z } from "zod";
import type { Actor } from "../../../db/audit";
import { allOf, readSegment, type Segment } from "../../../db/newsletter/segments/definition";
import {
  type Broadcast,
  byId,
  type ChangeResult,
  type Versioned,
  withContent,
} from "../../../db/broadcasts/broadcasts";
import { create } from "../../../db/broadcasts/edit";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import { countUnderWay } from "../../../db/broadcasts/report/progress";
import { isOpen, needsReview } from "../../../db/broadcasts/rules";
import { leaveUncertain, sendAgain } from "../../../db/broadcasts/sending/promote";
import { cancel, pause, resume, setArchive, unschedule } from "../../../db/broadcasts/states";
import { Confirm } from "../../../views/components/confirm";
import { number, plural } from "../../../views/components/list";
import { stillUnderWay } from "../../../views/dashboard/broadcasts/run/run";
import { path } from "../../../views/dashboard/broadcasts/state";
import { actorOf, managerFor } from "../../security/session";
import type { Deps } from "../deps";
import { maxUntyped, numberIn } from "../form-input";
import { frameOf, pages, refusalFor } from "../pages";
import { forAnalysts, forManagers, mayUse } from "../permissions";
import { notReviewed, seeOther, showDialog } from "../responses";
import { extras, gone } from "./broadcasts";
import { openComposer } from "./composer/composer";
import { refreshRun, showRun } from "./run";

/**
 * The page of one broadcast: composer, progress or report, depending on its state; and the actions on a confirmed one.
 * If it has changed in the meantime, the manager is shown its current state.
 */
export const broadcastPage = (deps: Deps) =>
  pages(path, deps, forAnalysts)
    .get("/:id", ({ request, params: { id } }) => open(deps, request, id))
    .get("/:id/run", ({ request, params: { id }, query }) => refreshProgress(deps, request, id, query.state));

export const broadcastSteps = (deps: Deps) =>
  pages(path, deps, forManagers)
    .post("/:id/unschedule", ({ request, params: { id }, body }) => act(deps, request, id, body, stopped))
    .post("/:id/pause", ({ request, params: { id }, body }) => act(deps, request, id, body, paused))
    .post("/:id/resume", ({ request, params: { id }, body }) => act(deps, request, id, body, resumed))
    .get("/:id/cancel", ({ request, params: { id } }) => askToCancel(deps, request, id, {}))
    .post("/:id/cancel", ({ request, params: { id }, body }) => cancelRest(deps, request, id, body))
    .post("/:id/resend", ({ request, params: { id }, body }) => act(deps, request, id, body, resent))
    .post("/:id/leave", ({ request, params: { id }, body }) => act(deps, request, id, body, left))
    .post("/:id/archive", ({ request, params: { id }, body }) => act(deps, request, id, body, archived))
    .post("/:id/newcomers", ({ request, params: { id } }) => sendToNewcomers(deps, request, id));

async function open(deps: Deps, request: Request, id: string) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  if (broadcast.state !== "draft") return showRun(deps, request, broadcast);
  const { role } = managerFor(request).manager;
  return mayUse(deps, role, `${path}/${id}`, "POST")
    ? openComposer(deps, request, broadcast)
    : refusalFor(deps, request, forManagers);
}

const Sent = z.object({
  version: z.coerce.number().int().catch(0),
  reviewed: z.literal("yes").optional().catch(undefined),
  to: z.enum(["uncertain", "failed"]).catch("uncertain"),
  archive: z.enum(["listed", "unlisted", "none"]).catch("none"),
  typed: z.string().max(50).optional().catch(undefined),
});
type Sent = z.output<typeof Sent>;

type Verb = {
  text: string;
  /** Returns undefined if something has to be confirmed first; the page then asks for it. */
  apply: (deps: Deps, seen: Broadcast & Versioned, by: Actor, sent: Sent) => Promise<ChangeResult> | undefined;
};

const stopped: Verb = {
  text: "Stopped. It is a draft again, and nothing was sent.",
  apply: ({ db, now }, seen, by) => unschedule(db, seen, by, now()),
};
const paused: Verb = {
  text: "Paused. Emails already handed over may still arrive.",
  apply: ({ db, now }, seen, by) => pause(db, seen, by, now()),
};
const resumed: Verb = {
  text: "Resumed.",
  apply: ({ db, now }, seen, by, { reviewed }) =>
    needsReview(seen) && !reviewed ? undefined : resume(db, seen, by, now()),
};
const resent: Verb = {
  text: "They are sent the email again.",
  apply: ({ db, now }, seen, by, { to }) => sendAgain(db, { seen, to }, by, now()),
};
const left: Verb = {
  text: "Left as uncertain.",
  apply: ({ db, now }, seen, by) => leaveUncertain(db, seen, by, now()),
};
const archived: Verb = {
  text: "Saved.",
  apply: ({ db, now }, seen, by, { archive }) => setArchive(db, { seen, archive }, by, now()),
};

async function act(deps: Deps, request: Request, id: string, body: unknown, { text, apply }: Verb) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  const sent = Sent.parse(body ?? {});
  const result = await apply(deps, { ...broadcast, version: sent.version }, actorOf(request), sent);
  const back = `${path}/${id}`;
  if (!result) return seeOther(request, back, notReviewed);
  if (result.outcome === "gone") return gone(deps, request);
  if (result.outcome === "conflict")
    return seeOther(request, back, { kind: "bad", text: `Nothing changed: it is ${result.broadcast.state} now.` });
  return seeOther(request, back, { kind: "good", text });
}

async function refreshProgress(deps: Deps, request: Request, id: string, stateOnPage: string | undefined) {
  const broadcast = await byId(deps.db, id);
  return broadcast && broadcast.state !== "draft"
    ? refreshRun(deps, request, broadcast, stateOnPage)
    : gone(deps, request);
}

/** The people to whom nothing was sent yet, and those whose email is under way at this moment. */
async function restOf({ db, now }: Deps, broadcast: Broadcast): Promise<{ rest: number; underWay: number }> {
  const underWay = await countUnderWay(db, broadcast, now());
  return { rest: Math.max(0, ledgerOf(broadcast).waiting - underWay), underWay };
}

async function askToCancel(deps: Deps, request: Request, id: string, { error }: { error?: string }) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast) return gone(deps, request);
  const back = `${path}/${id}`;
  if (!isOpen(broadcast))
    return seeOther(request, back, { kind: "bad", text: `Nothing changed: it is ${broadcast.state}.` });
  const frame = await frameOf(deps, request);
  const { rest, underWay } = await restOf(deps, broadcast);
  const verb = `Cancel ${plural(rest, "email")}`;
  return showDialog(request, {
    frame,
    title: "Cancel the rest?",
    extras,
    status: error ? 422 : 200,
    children: (
      <Confirm
        frame={frame}
        verb={verb}
        error={error}
        action={`${back}/cancel`}
        cancel={back}
        dismiss="Keep sending"
        fields={{ version: String(broadcast.version) }}
        typed={rest > maxUntyped ? rest : undefined}
      >
        <p>
          {soFar(broadcast)} {underWay > 0 && `${stillUnderWay(underWay, frame)} `}No one else gets it. This cannot be
          undone.
        </p>
      </Confirm>
    ),
  });
}

/** Says what became of the emails until now: "The provider accepted 1,113 emails and refused 19." */
function soFar(broadcast: Broadcast): string {
  const { accepted, simulated, refused, uncertain } = ledgerOf(broadcast);
  const done = simulated
    ? `${plural(simulated, "email was", "emails were")} simulated${refused ? `, and ${number(refused)} refused` : ""}.`
    : `The provider accepted ${plural(accepted, "email")}${refused ? ` and refused ${number(refused)}` : ""}.`;
  return uncertain ? `${done} Of ${number(uncertain)} it is not known.` : done;
}

/** Accepts the number in the question or the current one, which shrinks while sending continues. */
async function cancelRest(deps: Deps, request: Request, id: string, body: unknown) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast) return gone(deps, request);
  const { typed = "" } = Sent.parse(body ?? {});
  const { rest } = await restOf(deps, broadcast);
  if (isOpen(broadcast) && rest > maxUntyped && numberIn(typed) < rest)
    return askToCancel(deps, request, id, { error: `Enter ${number(rest)}, the number of people left, to confirm.` });
  const text = "Cancelled. No one else gets it.";
  const apply: Verb["apply"] = ({ db, now }, seen, by) => cancel(db, seen, by, now());
  return act(deps, request, id, body, { text, apply });
}

/** Those who did not get the broadcast, whenever they joined. */
function newcomersTo({ all, ...segment }: Segment, id: string): Segment {
  const others = all?.filter((node) => !("field" in node && node.field === "joined"));
  const rest = others?.length ? { ...segment, all: others } : segment;
  return allOf([{ field: "broadcast", is: "notGot", of: id }], rest);
}

/** Creates a draft with the same text for everyone who did not get it. */
async function sendToNewcomers(deps: Deps, request: Request, id: string) {
  const broadcast = await withContent(deps.db, id);
  if (!broadcast) return gone(deps, request);
  const { kind, postId, subject, preheader, fromName, content, archive } = broadcast;
  const segment = readSegment(broadcast.segment);
  if (!segment) return seeOther(request, `${path}/${id}`, { kind: "bad", text: "The audience cannot be read." });
  const fields = { subject, preheader, fromName, content, archive, segment: newcomersTo(segment, id) };
  const source = kind === "post" && postId ? { kind, postId } : { kind: "own" as const };
  const draft = await create(deps.db, { source, fields }, actorOf(request), deps.now());
  const text = "Draft created for those who did not get this broadcast.";
  return seeOther(request, `${path}/${draft.id}`, { kind: "good", text });
}
