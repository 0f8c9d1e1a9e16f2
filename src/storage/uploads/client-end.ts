import type { ActorWithDetails } from "../../../db/audit";
import * as uploads from "../../../db/storage/uploads";
import type { Log } from "../../platform/log";
import { attempt, unlessOurs } from "./attempt";
import { type FailedPut, mayBeFull, saysFull } from "./failed-put";
import { closed, type Options } from "./part-urls";
import { missingParts } from "./plan";
import { again } from "./poller";

/** How a client ends its upload. All functions return undefined if there is no such upload. */
export function clientEnd(options: Options & { log: Log }) {
  const { db, now, at, poller, doubt } = options;

  /**
   * The client says that everything has been sent. "missing": parts are missing. "completing": the node is still
   * assembling it.
   */
  const complete = (id: string) =>
    attempt(options, id, async () => {
      await poller.withOpen(id, (open) => poller.see(open, true));
      const upload = await uploads.find(db, id);
      if (!upload) return undefined;
      const { state } = upload;
      if (state === "completed" || state === "completing") return { outcome: state } as const;
      if (state !== "open") return closed(upload);
      return { outcome: "missing", missing: missingParts(upload, poller.partsOf(upload) ?? []) } as const;
    });

  /** Aborts the upload. Its space is free once the node has discarded it, usually immediately. */
  async function abort(id: string, outcome = "aborted by the client", by?: ActorWithDetails) {
    await poller.look(id).catch(unlessOurs); // if it is complete, it is a file and stays one
    await poller
      .withOpen(id, async ({ upload, node }) => {
        if (upload.state === "completing" || upload.state === "aborting") return;
        const isBeingOpened = upload.state === "pending";
        const next = new Date(now().getTime() + (isBeingOpened ? uploads.openTimeoutMs : 1_000));
        if (!(await uploads.startAborting(db, upload, { outcome, nextCheckAt: next }, by && { by, now: now() })))
          return again;
        if (isBeingOpened) return;
        at("aborting");
        await poller.see({ upload: { ...upload, state: "aborting", outcome }, node });
      })
      .catch(unlessOurs); // logged; the sweeper continues
    const upload = await uploads.find(db, id);
    return upload && ({ outcome: upload.state } as const);
  }

  /**
   * The client says that the node rejected its bytes: the upload is aborted. If the reason was lack of space, the
   * client gets other nodes for a while. If it may have been, a test write finds out whether everyone should.
   */
  async function fail(id: string, put: FailedPut, by?: ActorWithDetails) {
    const ended = await abort(id, saysFull(put) ? "refused" : "failed", by);
    const upload = mayBeFull(put) && ended && isAborted(ended.outcome) ? await uploads.find(db, id) : undefined;
    if (upload) doubt(upload.nodeId, upload.size);
    return ended;
  }

  return { complete, abort, fail };
}

const isAborted = (state: uploads.Upload["state"]) => state === "aborting" || state === "aborted";
