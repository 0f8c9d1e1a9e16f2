import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { sendAgain } from "../../../db/broadcasts/sending/promote";
import { cancel, pause, resume } from "../../../db/broadcasts/states";
import { recordReport } from "../../../db/provider-reports";
import { broadcastStage, by } from "../../../test/support/broadcasts/broadcasts";
import { isOnPostgres, look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { summaryOf } from "../../cli/broadcasts";
import { Pace } from "../../mail/pace";
import type { MailProvider, Outcome } from "../../mail/provider";
import { testTimeoutMs } from "../../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const people = 12;
const [minute, hour] = [60_000, 3_600_000];

const answers = ["accepted", "accepted", "accepted", "unknown", "invalid", "bounced", "deferred", "rate"] as const;
type Answer = (typeof answers)[number];
const acts = ["send", "send", "wait", "pause", "resume", "cancel", "leave", "again", "retry"] as const;
/** "failed" is Resend's, about an email that it had accepted. The same report may come twice, and in any order. */
const kinds = ["delivered", "delivered", "bounced", "soft-bounced", "complained", "failed"] as const;
type Step = (typeof acts)[number] | { kind: (typeof kinds)[number]; recipient: number };

/** A provider in this process, which answers as was drawn. */
function fakeProvider(name: "resend" | "smtp") {
  const fake = { answers: [] as readonly Answer[], at: 0 };
  const next = (count: number): Outcome => {
    const answer = fake.answers[fake.at++ % fake.answers.length] ?? "accepted";
    if (answer === "accepted") return { kind: "accepted", ids: Array.from({ length: count }, () => null) };
    if (answer === "unknown") return { kind: "unknown", message: "No answer" };
    return { kind: "refused", reason: answer, message: "No", retryAfterMs: 1_000 };
  };
  const provider: MailProvider = {
    ...{ name, maxBatch: name === "smtp" ? 1 : 3, maxConcurrent: 2, isIdempotent: name === "resend" },
    send: () => Promise.resolve(next(1)),
    sendBatch: (emails) => Promise.resolve(next(emails.length)),
    close: () => Promise.resolve(),
  };
  return Object.assign(fake, { provider });
}

type Row = Record<"state" | "delivered_at" | "bounced_at" | "soft_at" | "complained_at", number | null>;

/** The reported result of each accepted email, worked out without SQL. */
function resultsOf(rows: Row[]) {
  const results = { delivered: 0, bounced: 0, softBounced: 0, unreported: 0 };
  for (const row of rows.filter(({ state }) => state === 1))
    if (row.complained_at) results.delivered++;
    else if (row.bounced_at) results.bounced++;
    else if (row.delivered_at) results.delivered++;
    else results[row.soft_at ? "softBounced" : "unreported"]++;
  return results;
}

/** The figures of a running broadcast's page, or the ledger of a report. */
function figuresOn(html: string): Record<string, string> {
  const figures = /<dt>([^<]+)<\/dt><dd class="value[^"]*">([^<]+)/g;
  const lines = /<th scope="row">(?:<a [^>]*>)?([^<]+)(?:<\/a>)?<\/th><td class="num[^"]*">([^<]+)/g;
  const found = [...html.matchAll(html.includes('class="ledger"') ? lines : figures)];
  return Object.fromEntries(found.map(([, name = "", value = ""]) => [name, value] as const).reverse()); // the first one counts
}

const names = {
  accepted: /^Accepted/,
  refused: /^Refused/,
  uncertain: /^Uncertain/,
  left: /^(Unsubscribed first|Not sent)/,
  waiting: /^Waiting/,
};

test.each(["resend", "smtp"] as const)(
  "R16: with %s, the recipients are those accepted, refused, uncertain, left and waiting, in every state and everywhere",
  async (name) => {
    const service = await testService();
    const { db } = service;
    const manager = await service.signIn();
    const fake = fakeProvider(name);
    const clock = { time: service.clock.time };
    const pace = new Pace(() => new Date(clock.time), 1e9);
    const stage = await broadcastStage({ people, db, mail: { provider: fake.provider, pace, metrics: () => "" } });
    const pass = (ms: number) => (clock.time = stage.clock.time += ms); // not for the manager, whose session would end
    pass(0);
    const now = stage.now;

    async function check(id: string) {
      const broadcast = await stage.broadcast(id);
      const rows = await look<Row>(
        db,
        "select state, delivered_at, bounced_at, soft_at, complained_at from broadcast_recipients",
      );
      const shown = summaryOf(broadcast, now());
      const { recipients, accepted, refused, uncertain, left, waiting } = shown;
      expect(recipients).toBe(people);
      expect(accepted + refused + uncertain + left + waiting).toBe(recipients);
      const inState = (state: number) => rows.filter((row) => row.state === state).length;
      expect([accepted, refused, uncertain]).toEqual([inState(1), inState(2), inState(3)]);

      const results = resultsOf(rows);
      const { delivered, bounced, softBounced } = results;
      const isUnsent = accepted + uncertain === 0;
      expect([shown.delivered, shown.unreported]).toEqual([
        delivered || isUnsent ? delivered : null,
        results.unreported,
      ]);
      const isKnown = delivered + bounced + softBounced > 0 || isUnsent;
      expect([shown.bounced, shown.softBounced]).toEqual(isKnown ? [bounced, softBounced] : [null, null]);

      const html = await (await manager.get(`/dashboard/broadcasts/${id}`)).text();
      if (shown.state === "scheduled") return expect(html).toContain(`<strong>${recipients}</strong>`);
      const page = figuresOn(html);
      const onPage = (name: RegExp) => page[Object.keys(page).find((each) => name.test(each)) ?? ""];
      for (const [part, words] of Object.entries(names))
        expect([part, onPage(words) ?? "0"]).toEqual([part, String(shown[part as keyof typeof names])]);
      expect(onPage(/^Delivered/)).toBe(shown.delivered === null ? "Not known" : String(shown.delivered));

      const file = await (await manager.get(`/dashboard/broadcasts/${id}/recipients/export.csv`)).text();
      const sums = { accepted: 0, refused: 0, uncertain: 0, left: 0, waiting: 0 };
      for (const line of file.trim().split("\r\n").slice(1)) {
        const [, status = "", count] = line.split(",");
        sums[status as keyof typeof sums] += Number(count);
      }
      expect(sums).toEqual({ accepted, refused, uncertain, left, waiting });
    }

    async function run(steps: readonly Step[], drawn: readonly Answer[]) {
      Object.assign(fake, { answers: drawn, at: 0 });
      await look(db, "update subscribers set state = 'active', suppressed_at = null");
      for (const table of ["broadcasts", "suppressions"]) await look(db, `delete from ${table}`);
      const id = await stage.confirmed();
      const sender = stage.sender();
      let reports = 0;
      const report = async ({ kind, recipient }: Exclude<Step, string>) => {
        const [row] = await look<{ row: number; email: string }>(
          db,
          `select r."row", email from broadcast_recipients r join subscribers s on s."row" = r.subscriber_row
           where r.state in (0, 1, 3) order by r."row" limit 1 offset ?`,
          [recipient],
        );
        if (!row || name === "smtp") return;
        const about = { recipient: { broadcastId: id, row: row.row }, email: row.email };
        const said = { id: `${id}-${reports++}`, type: `email.${kind}`, kind, at: now(), ...about };
        for (const _ of [1, 2]) await recordReport(db, said, now());
      };
      const act: Record<(typeof acts)[number], () => unknown> = {
        send: () => sender.drain(),
        wait: () => pass(7 * hour),
        pause: async () => pause(db, await stage.broadcast(id), by, now()),
        resume: async () => resume(db, await stage.broadcast(id), by, now()),
        cancel: async () => cancel(db, await stage.broadcast(id), by, now()),
        leave: () => look(db, "update subscribers set state = 'unsubscribed' where \"row\" in (3, 7, 8)"),
        again: async () => sendAgain(db, { seen: await stage.broadcast(id), to: "uncertain" }, by, now()),
        retry: async () => sendAgain(db, { seen: await stage.broadcast(id), to: "failed" }, by, now()),
      };
      await check(id);
      for (const step of steps) {
        await (typeof step === "string" ? act[step]() : report(step));
        pass(minute);
        await check(id);
      }
      await sender.close();
    }

    const reported = fc.record({
      kind: fc.constantFrom(...kinds),
      recipient: fc.integer({ min: 0, max: people - 1 }),
    });
    const steps = fc.array(fc.oneof(fc.constantFrom(...acts), reported), { minLength: 3, maxLength: 14 });
    const draws = fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 8 });
    await fc.assert(fc.asyncProperty(steps, draws, run), {
      numRuns: Number(Bun.env.BROADCAST_RUNS ?? (isOnPostgres ? 5 : 20)),
    });
  },
);
