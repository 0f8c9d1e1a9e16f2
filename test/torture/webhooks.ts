/**
 * `npm run torture webhooks [kills]` (figure W1): the service is repeatedly killed with SIGKILL between an event and
 * its report to an endpoint. Everything acknowledged must arrive, and nothing under two IDs.
 */
import { join } from "node:path";
import { openDb } from "../../db/open";
import * as endpoints from "../../db/webhooks/endpoints";
import { makeSecret } from "../../src/webhooks/secrets";
import { conclude, exactly } from "../support/figures";
import { look } from "../support/look";
import { startService, temporaryFolder } from "../support/processes";
import { webhookReceiver } from "../support/webhooks";

const appSecret = "a-secret-for-this-torture-only-0123";
const peopleEach = 40;
const clients = 4;

/** Kills the service `kills` times. Figures, not opinions. */
export async function tortureWebhooks(kills: number) {
  using folder = temporaryFolder();
  const receiver = webhookReceiver();
  const env = { ...receiver.env, APP_SECRET: appSecret, LOG_LEVEL: "silent" };
  const file = join(folder.path, "postroom.sqlite");
  await addEndpoint(file, receiver);

  const acknowledged = new Set<string>();
  for (let kill = 0; kill < kills; kill++) {
    const service = await startService(folder.path, env);
    const dead = atArrival(receiver, 1 + Math.floor(Math.random() * peopleEach * 0.7), () => service.end("SIGKILL"));
    await Promise.all(Array.from({ length: clients }, (_, client) => visit(service.url, kill, client, acknowledged)));
    await dead;
  }
  const service = await startService(folder.path, env);
  const wanted = await subscriberIds(file);
  await allArrived(receiver, wanted);
  await service.end();
  await receiver.stop();

  const idsOf = Map.groupBy(receiver.attempts, ({ data }) => String(data.id));
  const underTwoIds = [...idsOf.values()].filter((each) => new Set(each.map(({ id }) => id)).size > 1).length;
  const repeated = receiver.attempts.length - idsOf.size;
  const lost = acknowledged.size - wanted.filter((each) => acknowledged.has(each.email)).length;
  const missing = wanted.filter(({ id }) => !idsOf.has(id)).length;
  return { kills, acknowledged: acknowledged.size, told: idsOf.size, lost, missing, underTwoIds, repeated };
}

type Receiver = ReturnType<typeof webhookReceiver>;
type Person = { id: string; email: string };

async function addEndpoint(file: string, receiver: Receiver) {
  const db = await openDb(file);
  const { secret, sealed } = makeSecret({ APP_SECRET: appSecret, APP_SECRET_PREVIOUS: [] });
  const fields = { name: "Sheet", url: receiver.url, events: [], withPeople: false };
  await endpoints.add(db, { fields, secret: sealed }, { actor: "torture" }, new Date());
  receiver.secrets.push(secret);
  await db.close();
}

/** Ends the service while it waits for the answer to its n-th call, or has just got it. */
function atArrival(receiver: Receiver, nth: number, end: () => Promise<unknown>): Promise<unknown> {
  const over = Promise.withResolvers<unknown>();
  let arrived = 0;
  receiver.answer = async () => {
    if (++arrived !== nth) return 200;
    const dying = end();
    over.resolve(dying);
    if (nth % 2) await dying;
    return 200;
  };
  return over.promise;
}

/** People who subscribe, each from an address of its own, until nobody answers any more. */
async function visit(url: string, kill: number, client: number, acknowledged: Set<string>): Promise<void> {
  for (let i = client; i < peopleEach; i += clients) {
    const email = `p${kill}-${i}@example.com`;
    const headers = { "content-type": "application/json", "x-forwarded-for": `10.${kill}.${client}.${i}` };
    const request = { method: "POST", headers, body: JSON.stringify({ email }) };
    const response = await fetch(`${url}/api/newsletter/subscribe`, request).catch(() => undefined);
    if (response?.status === 201) acknowledged.add(email);
  }
}

async function subscriberIds(file: string): Promise<Person[]> {
  const db = await openDb(file);
  const rows = await look(db, "select id, email from subscribers");
  await db.close();
  return rows.map(({ id, email }) => ({ id: String(id), email: String(email) }));
}

/** Resolves when the receiver has accepted what happened to each of them. */
async function allArrived(receiver: Receiver, wanted: Person[]): Promise<void> {
  const arrived = new Set(receiver.accepted.map(({ data }) => String(data.id)));
  const isOver = () => wanted.every(({ id }) => arrived.has(id));
  if (isOver()) return;
  await new Promise<void>((resolve) => {
    receiver.answer = ({ data }) => {
      arrived.add(String(data.id));
      if (isOver()) resolve();
      return 200;
    };
  });
}

if (import.meta.main) {
  const figures = await tortureWebhooks(Number(Bun.argv[2] ?? 25));
  console.log(figures);
  conclude([
    exactly("W1", `acknowledged and lost, in ${figures.kills} kills`, 0, figures.lost),
    exactly("W1", "never told", 0, figures.missing),
    exactly("W1", "told under two IDs", 0, figures.underTwoIds),
  ]);
}
