import { ownerAddress } from "../../db/contact/owner";
import { announceDue } from "../../db/posts/announce";
import { type Attempt, claim, type Claimed, isDue, releaseLeases, settle } from "../../db/webhooks/deliveries";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { post } from "./post";
import { secretsOf } from "./secrets";
import { sign } from "./signature";

type Needs = Pick<Deps, "config" | "db" | "log" | "now">;
type Options = {
  everyMs?: number;
  graceMs?: number;
  /** No other process sends: what is in flight when this one starts was left by one that died. */
  isOnlySender?: boolean;
  /** Between 0 and 1: spreads retries. */
  random?: () => number;
  /** Where a test may stop a sender for good, as if its process had died. */
  reach?: (point: "after claim" | "after post") => void | Promise<void>;
};

/**
 * Delivers to webhook endpoints what their causes have written: looks every second and after every answer, and never
 * throws. Several processes may run one each. It also notices when a scheduled post becomes visible.
 */
export class WebhookSender {
  private readonly inWork = new Set<Promise<void>>();
  private timer: Timer | undefined;
  private preparing: Promise<void> | undefined;
  private turning: Promise<void> | undefined;
  private isWanted = false;
  private isClosed = false;

  constructor(
    private readonly needs: Needs,
    private readonly options: Options = {},
  ) {}

  start(): this {
    this.timer = setInterval(() => void this.tick(), this.options.everyMs ?? 1_000);
    return this;
  }

  /** Delivers all that is due, and waits for it. For tests. */
  async drain(): Promise<void> {
    do {
      await this.tick();
      await Promise.all(this.inWork);
      await this.turning; // begun by those that have just ended
    } while (this.inWork.size);
  }

  /** Takes no more. What is in flight has two seconds; what is cut off is repeated, as after a crash. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.turning;
    let graceTimer: Timer | undefined;
    const grace = new Promise<void>((over) => (graceTimer = setTimeout(over, this.options.graceMs ?? 2_000)));
    await Promise.race([grace, Promise.all(this.inWork)]);
    clearTimeout(graceTimer);
  }

  private async tick(): Promise<void> {
    const { db, log, now } = this.needs;
    if (this.isClosed) return;
    try {
      await (this.preparing ??= this.options.isOnlySender ? releaseLeases(db) : Promise.resolve());
      await announceDue(db, now());
    } catch (error) {
      log.error("webhooks failed", described(error));
    }
    await this.turn();
  }

  /** Claims as long as there is something. One call at a time; another in the meantime makes it look again. */
  private turn(): Promise<void> {
    this.isWanted = true;
    return (this.turning ??= this.takeTurns());
  }

  private async takeTurns(): Promise<void> {
    const { db, log, now } = this.needs;
    try {
      while (this.isWanted && !this.isClosed) {
        this.isWanted = false;
        if (await isDue(db, now())) for (const claimed of await claim(db, now())) this.begin(claimed);
      }
    } catch (error) {
      log.error("webhooks failed", described(error));
    } finally {
      this.turning = undefined; // at once: a call that joined an ended turn would be forgotten
    }
  }

  private begin(claimed: Claimed): void {
    const { id, type } = claimed.delivery;
    const done = this.deliver(claimed)
      .catch((error) => this.needs.log.error("webhook failed", { id, type, ...described(error) }))
      .finally(() => {
        this.inWork.delete(done);
        void this.turn();
      });
    this.inWork.add(done);
  }

  private async deliver(claimed: Claimed): Promise<void> {
    const { config, db, log, now } = this.needs;
    await this.options.reach?.("after claim");
    const attempt = await this.attempt(claimed);
    await this.options.reach?.("after post");
    const notify = config.OWNER_EMAIL ?? (await db.read(ownerAddress));
    const random = (this.options.random ?? Math.random)();
    const state = await settle(db, claimed, attempt, { notify, random, now: now() });
    if (state === "delivered") return;
    const { id, type, endpointId, attempts } = claimed.delivery;
    log.warn("webhook not delivered", { id, type, endpoint: endpointId, attempt: attempts, state, ...attempt });
  }

  /** Sends it, signed at this moment. Redirects and everything else but 2xx are failures. */
  private async attempt({ delivery, endpoint }: Claimed): Promise<Attempt> {
    const { config, now } = this.needs;
    const startedAt = now();
    const secrets = secretsOf(config, endpoint, startedAt);
    if (!secrets.length) return { ms: 0, error: "The signing secret cannot be read. Replace it." };
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    const headers = {
      "content-type": "application/json",
      "user-agent": "Postroom",
      "webhook-id": delivery.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": sign(secrets, delivery.id, timestamp, delivery.body),
    };
    const result = await post(endpoint.url, headers, delivery.body, { privateHosts: config.WEBHOOK_PRIVATE_HOSTS });
    const ms = Math.max(0, now().getTime() - startedAt.getTime());
    if ("error" in result) return { ms, error: result.error };
    return { ms, status: result.status, retryAfterMs: retryAfterMs(result.retryAfter, now()) };
  }
}

/** Retry-After in seconds or as a date; undefined if it is neither. */
function retryAfterMs(value: string | null | undefined, now: Date): number | undefined {
  if (!value || value.length > 40) return;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
