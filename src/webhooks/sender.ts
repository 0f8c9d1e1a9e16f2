import { version } from "../../package.json";
import { z } from "zod";
import { ownerEmail } from "../../db/contact/owner";
import type { Db } from "../../db/engine/open";
import { bodyFor } from "../../db/events/webhook-events";
import { mayTakeTasks } from "../../db/ops/leases";
import { announceDue } from "../../db/posts/announce";
import { findVerifying, type Verdict } from "../../db/storage/verification";
import { type Attempt, claim, type Claimed, isDue, releaseLeases, settle } from "../../db/webhooks/attempts";
import { endUncalled, isVerify } from "../../db/webhooks/verify";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { retryAfterMs } from "../platform/retry-after";
import { WorkLoop } from "../platform/work-loop";
import type { Storage } from "../storage";
import { callHeaders, secretsOf } from "./secrets";

const linkSeconds = 300; // the longest time that an endpoint can have to answer

type Needs = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  /** Where uploads are that endpoints decide about. */
  storage: Pick<Storage, "calls" | "links">;
};
type Options = {
  everyMs?: number;
  graceMs?: number;
  /** No other process sends: what is in flight when this one starts was left by one that died. */
  isOnlySender?: boolean;
  /** Returns a number between 0 and 1, which spreads retries. */
  random?: () => number;
  /** Where a test can stop a sender permanently, as if its process had died. */
  reach?: (point: "after claim" | "after post") => void | Promise<void>;
};

/**
 * Delivers to webhook endpoints: looks every second and after every response, and never throws. Several processes may
 * run one sender each. It also notices when a scheduled post becomes visible.
 */
export class WebhookSender {
  private readonly loop: WorkLoop;

  constructor(
    private readonly needs: Needs,
    private readonly options: Options = {},
  ) {
    this.loop = new WorkLoop(needs.log, {
      name: "webhooks",
      mayTake: mayTakeTasks(needs.db, needs.now, version),
      begin: () => (options.isOnlySender ? releaseLeases(needs.db) : Promise.resolve()),
      prepare: async () => {
        await announceDue(needs.db, needs.now());
        await endUncalled(needs.db, needs.now());
      },
      take: () => this.take(),
    });
  }

  start(): this {
    this.loop.start(this.options.everyMs);
    return this;
  }

  /** Delivers everything that is due, and waits for it. For tests. */
  drain(): Promise<void> {
    return this.loop.drain();
  }

  /** Takes no more deliveries. Those in flight have two seconds; an interrupted one is repeated, as after a crash. */
  close(): Promise<void> {
    return this.loop.close(this.options.graceMs);
  }

  private async take(): Promise<void> {
    const { db, log, now } = this.needs;
    if (!(await isDue(db, now()))) return;
    for (const claimed of await claim(db, now())) {
      const { id, type } = claimed.delivery;
      const failed = (error: unknown) => log.error("webhook failed", { id, type, ...described(error) });
      this.loop.add(this.deliver(claimed).catch(failed));
    }
  }

  private async deliver(claimed: Claimed): Promise<void> {
    const { db, log, now } = this.needs;
    await this.options.reach?.("after claim");
    const attempt = await this.attempt(claimed);
    await this.options.reach?.("after post");
    const notify = await ownerEmail(this.needs);
    const random = (this.options.random ?? Math.random)();
    const { state, file } = (await settle(db, claimed, attempt, { notify, random, now: now() })) ?? {};
    if (file) {
      log.info("upload completed", { id: file.id, size: file.size });
      this.needs.storage.calls.ended("completed", file.size);
    }
    if (state === "delivered") return;
    const { id, type, endpointId, attempts } = claimed.delivery;
    const result = { ...attempt, text: undefined }; // what a receiver answers is for managers only
    log.warn("webhook not delivered", { id, type, endpoint: endpointId, attempt: attempts, state, ...result });
  }

  /** The body as it is sent now, and the time for it. A question about an upload gets a link to the bytes. */
  private async call({ delivery, endpoint }: Claimed): Promise<{ body: string; decidesWithin?: number } | undefined> {
    if (!isVerify(delivery)) return { body: bodyFor(endpoint, delivery.body) };
    const upload = await findVerifying(this.needs.db, delivery.subjectId ?? "");
    if (!upload) return undefined;
    const { storage } = this.needs;
    const { url, expiresAt } = await storage.links.share(upload, { expiresIn: linkSeconds, isShown: false });
    const { data, ...event }: { data: object } = JSON.parse(delivery.body);
    const body = JSON.stringify({ ...event, data: { ...data, url, expiresAt: expiresAt.toISOString() } });
    return { body, decidesWithin: endpoint.verifySeconds };
  }

  /** Sends a delivery, signed for the moment of its claim. Everything except 2xx is a failure, including redirects. */
  private async attempt(claimed: Claimed): Promise<Attempt> {
    const { delivery, endpoint } = claimed;
    const { config, now } = this.needs;
    const startedAt = now();
    const call = await this.call(claimed);
    if (!call) return { ms: 0, error: "The upload is no longer waiting." };
    const secrets = secretsOf(config, endpoint, startedAt);
    if (!secrets.length) return { ms: 0, error: "The signing secret cannot be read. Replace it." };
    const { body, decidesWithin } = call;
    const headers = callHeaders(secrets, { ...delivery, body });
    const { post } = await import("./post"); // an HTTP client, which is not loaded at start-up
    const privateHosts = config.WEBHOOK_PRIVATE_HOSTS;
    const result = await post(endpoint.url, headers, body, { privateHosts, decidesWithin });
    const ms = Math.max(0, now().getTime() - startedAt.getTime());
    if ("error" in result) return { ms, error: result.error };
    const { status } = result;
    const isSuccess = status >= 200 && status < 300;
    const text = isSuccess ? undefined : beginningOf(result.body);
    if (!isVerify(delivery) || !isSuccess)
      return { ms, status, text, retryAfterMs: retryAfterMs(result.retryAfter, now()) };
    const verdict = verdictIn(result.body, endpoint.name);
    return { ms, status, ...(verdict ? { verdict } : { error: "The response says neither to accept nor to refuse." }) };
  }
}

const maxReason = 200; // characters

/** The first words of a text that a receiver answered, in one line; undefined if there are none. */
const beginningOf = (body: Uint8Array | undefined) => inOneLine(new TextDecoder().decode(body)) || undefined;

const inOneLine = (text: string) => [...text.replace(/[\p{C}\s]+/gu, " ").trim()].slice(0, maxReason).join("");

const Answer = z.object({
  accept: z.boolean(),
  reason: z.string().catch(""),
});

/** Reads what an endpoint decided about an upload; undefined if its response does not say so. @param by its name */
function verdictIn(body: Uint8Array | undefined, by: string): Verdict | undefined {
  const { data } = Answer.safeParse(parsed(new TextDecoder().decode(body)));
  if (!data) return undefined;
  return data.accept ? { isAccepted: true } : { isAccepted: false, by, reason: inOneLine(data.reason) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
