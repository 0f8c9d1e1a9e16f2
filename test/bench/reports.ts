/**
 * `npm run bench reports [seconds]` (benchmark N8): the provider reports 2,000 deliveries a second, each signed and
 * about a different recipient, while people subscribe. Measures how many are accepted and counted, and how much longer
 * subscribing takes.
 */
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { create } from "../../db/broadcasts/edit";
import { openDb } from "../../db/open";
import { newSecret } from "../../src/platform/webhook-signature";
import { arrivals } from "../load/arrivals";
import { processorTime, wireOf } from "../load/generator";
import { subscription } from "../load/visitors";
import { atLeast, atMost, conclude, exactly } from "../support/figures";
import { look } from "../support/look";
import { percentile, rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const seconds = Number(Bun.argv[2] ?? 60);
const perSecond = 2_000;
const people = perSecond * (seconds + 2);
const secret = newSecret();
const signer = new Webhook(secret);

using folder = temporaryFolder();
const file = join(folder.path, "postroom.sqlite");

/** Creates a broadcast that was sent to this many people. Returns its ID. */
async function sentBroadcast(): Promise<string> {
  const db = await openDb(file);
  const fields = { subject: "Rain", preheader: "", fromName: "", archive: "none" as const, segment: {}, content: "" };
  const { id } = await create(db, { source: { kind: "own" }, fields }, { actor: "bench" }, new Date());
  await look(
    db,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into subscribers (id, email, email_key, folded, created_at, updated_at)
     select 'id' || i, 'reader' || i || '@example.com', 'reader' || i || '@example.com', 'reader' || i, 0, 0 from n`,
    [people],
  );
  await look(db, "update broadcasts set state = 'sent', finished_at = ?1", [Date.now()]);
  await look(
    db,
    `insert into broadcast_batches (broadcast_row, first_recipient, last_recipient, count, state, next_attempt_at, created_at)
     values (1, 1, ?1, ?1, 'accepted', 0, 0)`,
    [people],
  );
  await look(
    db,
    `insert into broadcast_recipients (broadcast_row, subscriber_row, batch_row, state, accepted_at)
     select 1, row, 1, 1, 0 from subscribers order by row`,
  );
  await db.close();
  return id;
}

const broadcastId = await sentBroadcast();
let reported = 0;

/** The provider's next report, as it goes over the wire. */
function report(): Buffer {
  const row = String(++reported);
  const now = new Date();
  const tags = { postroom_b: broadcastId, postroom_r: row };
  const data = { created_at: now, from: "Site <site@x.example>", to: [`reader${row}@example.com`], tags };
  const body = JSON.stringify({ type: "email.delivered", created_at: now, data });
  const headers = {
    "content-type": "application/json",
    "svix-id": `msg_${row}`,
    "svix-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "svix-signature": signer.sign(`msg_${row}`, now, body),
  };
  return Buffer.from(wireOf({ method: "POST", path: "/api/webhooks/resend", headers, body }));
}

const service = await startService(folder.path, { LOG_LEVEL: "warn", MAILER_WEBHOOK_SECRET: secret });
const subscribing = async (forSeconds: number) => {
  const make = () => Buffer.from(wireOf(subscription()));
  const { times } = await arrivals(service.port, make, 20, forSeconds);
  return percentile(times.get(201) ?? [], 0.99);
};

try {
  await subscribing(2); // warms up
  const alone = await subscribing(Math.min(20, seconds));
  const first = await processorTime(service.pid);
  const few = await arrivals(service.port, report, perSecond / 10, Math.min(10, seconds));
  const cost = ((await processorTime(service.pid)) - first) / (few.times.get(200)?.length ?? 0);
  const [{ times }, beside] = await Promise.all([
    arrivals(service.port, report, perSecond, seconds),
    subscribing(seconds),
  ]);
  const taken = [few.times, times].reduce((sum, by) => sum + (by.get(200)?.length ?? 0), 0);
  await service.end();
  const db = await openDb(file);
  const [{ delivered } = { delivered: 0 }] = await look<{ delivered: number }>(db, "select delivered from broadcasts");
  await db.close();
  console.log(`subscribe p99: ${rounded(alone)} ms alone, ${rounded(beside)} ms beside the reports`);
  console.log(`a report p99: ${rounded(percentile(times.get(200) ?? [], 0.99))} ms`);
  conclude([
    atLeast("N8", "reports of the provider taken with a second of processor", perSecond, 1e6 / cost),
    atLeast(
      "N8",
      `reports taken a second, over ${seconds} s`,
      0.99 * perSecond,
      (times.get(200)?.length ?? 0) / seconds,
    ),
    exactly("N8", "reports that were not taken", 0, reported - taken),
    exactly("N8", "deliveries counted, less reports taken", 0, delivered - taken),
    atMost("N8", "subscribe p99 beside them, of that alone", 2, beside / alone),
  ]);
} finally {
  await service.end();
}
