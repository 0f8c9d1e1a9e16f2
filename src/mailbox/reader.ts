import { Background } from "../../db/async/background";
import type { Db } from "../../db/engine/open";
import { beginReading, recordProblem, recordProgress } from "../../db/mailbox/position";
import { lease } from "../../db/ops/leases";
import type { Config } from "../platform/config";
import { described, type Log, messageOf } from "../platform/log";
import { mailboxName, type MailboxServer, readMailboxUrl } from "../platform/mail-urls";
import { type Mailbox, openMailbox, sleep } from "./imap";
import { receive } from "./receive";

type Needs = { config: Config; db: Db; log: Log; now: () => Date };
/** For tests. */
type Tuning = {
  ca?: string | undefined;
  lookEveryMs?: number | undefined;
  searchEveryMs?: number | undefined;
  /** How long the server may be silent. */
  waitLimitMs?: number | undefined;
  /** The process that holds the lease. */
  holder?: string | undefined;
  /** Waits for the next minute, or before it tries again. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

const minuteMs = 60_000;
const maxAgeMs = 30 * 24 * 60 * minuteMs;
const maxPerMinute = 200;
const [firstRetryMs, maxRetryMs] = [30_000, 15 * minuteMs];

/** Returns the mailbox of BOUNCE_MAILBOX; undefined if there is none. */
function mailboxServer({ BOUNCE_MAILBOX: url }: Pick<Config, "BOUNCE_MAILBOX">): MailboxServer | undefined {
  const server = url === undefined ? undefined : readMailboxUrl(url);
  if (typeof server === "string") throw new Error(`BOUNCE_MAILBOX ${server}`); // the configuration has been checked already
  return server;
}

/** Begins to read the mailbox of BOUNCE_MAILBOX, if there is one. */
export function startReading(needs: Needs, tuning?: Tuning): MailboxReader | undefined {
  const server = mailboxServer(needs.config);
  return server && new MailboxReader(needs, server, tuning).start();
}

/**
 * Reads what comes back (docs/newsletter.md): one process at a time, at once when the server tells of new messages, and
 * every five minutes anyway.
 */
class MailboxReader {
  private readonly background: Background;
  private readonly mayRead: () => Promise<boolean>;
  private session: AbortController | undefined;
  private isLooking = false;
  private retryMs = firstRetryMs;
  private inMinute = { since: 0, emails: 0 };

  constructor(
    private readonly needs: Needs,
    private readonly server: MailboxServer,
    private readonly tuning: Tuning = {},
  ) {
    this.background = new Background((error) => needs.log.error("mailbox", described(error)));
    this.mayRead = lease(needs.db, "mailbox", needs.now, tuning.holder);
  }

  start(): this {
    this.background.run(() => this.look());
    this.background.every(this.tuning.lookEveryMs ?? 1_000, () => this.look());
    return this;
  }

  close(): Promise<void> {
    this.session?.abort();
    return this.background.close();
  }

  /** Begins or ends reading, as the lease says. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      if (!(await this.mayRead())) this.session?.abort();
      else if (!this.session) this.begin();
    } finally {
      this.isLooking = false;
    }
  }

  private begin(): void {
    const session = (this.session = new AbortController());
    const signal = AbortSignal.any([session.signal, this.background.signal]);
    this.background.run(async () => {
      try {
        while (!signal.aborted) await this.readOrWait(signal);
      } finally {
        this.session = undefined;
      }
    });
  }

  private async readOrWait(signal: AbortSignal): Promise<void> {
    try {
      await this.read(signal);
    } catch (error) {
      if (!signal.aborted) await this.failed(error, signal);
    }
  }

  /** Never ends by itself. */
  private async read(signal: AbortSignal): Promise<never> {
    const { db, log, now } = this.needs;
    const { ca, waitLimitMs, searchEveryMs = 5 * minuteMs } = this.tuning;
    const name = mailboxName(this.server);
    const mailbox = await openMailbox(this.server, { signal, ca, waitLimitMs });
    try {
      let lastUid = await beginReading(db, name, mailbox.uidValidity, now());
      log.info("mailbox opened", { name });
      for (;;) {
        lastUid = await this.readNew(mailbox, lastUid, signal);
        this.retryMs = firstRetryMs;
        await mailbox.wait(searchEveryMs);
      }
    } finally {
      mailbox.close();
    }
  }

  /** Reads everything that is there, as fast as it may. Returns the last UID. */
  private async readNew(mailbox: Mailbox, after: number, signal: AbortSignal): Promise<number> {
    const { db, now } = this.needs;
    const name = mailboxName(this.server);
    const since = new Date(now().getTime() - maxAgeMs);
    const uids = await mailbox.search(after, since);
    let lastUid = after;
    for (let at = 0; at < uids.length;) {
      const some = uids.slice(at, at + (await this.allowance(uids.length - at, signal)));
      const counts = await this.readSome(mailbox, some, since);
      at += some.length;
      lastUid = some.at(-1) ?? lastUid;
      await recordProgress(db, name, { ...counts, lastUid, isComplete: false }, now());
    }
    await recordProgress(db, name, { lastUid, reports: 0, answers: 0, isComplete: true }, now());
    return lastUid;
  }

  /** How many may be read now; waits for the next minute if none. */
  private async allowance(wanted: number, signal: AbortSignal): Promise<number> {
    const passedMs = this.needs.now().getTime() - this.inMinute.since;
    if (passedMs >= minuteMs || passedMs < 0) this.inMinute = { since: this.needs.now().getTime(), emails: 0 };
    else if (this.inMinute.emails >= maxPerMinute) {
      await this.sleep(minuteMs - passedMs, signal);
      return this.allowance(wanted, signal);
    }
    const allowed = Math.min(wanted, maxPerMinute - this.inMinute.emails, maxPerStep);
    this.inMinute.emails += allowed;
    return allowed;
  }

  private async readSome(mailbox: Mailbox, uids: number[], since: Date) {
    const counts = { reports: 0, answers: 0 };
    for (const uid of uids) {
      const message = await mailbox.message(uid);
      if (!message || (message.receivedAt && message.receivedAt < since)) continue;
      const received = await receive(this.needs, message.bytes);
      if (received === "other") continue;
      counts[received === "report" ? "reports" : "answers"]++;
      await mailbox.markSeen(uid);
    }
    return counts;
  }

  /** Records why, and waits, longer each time. */
  private async failed(error: unknown, signal: AbortSignal): Promise<void> {
    const { db, log, now } = this.needs;
    const problem = messageOf(error);
    log.warn("mailbox not read", { name: mailboxName(this.server), error: problem });
    const recorded = recordProblem(db, mailboxName(this.server), problem, now());
    await recorded.catch((reason) => log.error("mailbox", described(reason))); // the server is not asked again sooner
    const waitMs = this.retryMs;
    this.retryMs = Math.min(waitMs * 2, maxRetryMs);
    await this.sleep(waitMs, signal).catch(() => undefined); // it was aborted
  }

  private sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return (this.tuning.sleep ?? sleep)(milliseconds, signal);
  }
}

const maxPerStep = 50; // the position is saved after as many
