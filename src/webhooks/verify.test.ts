import { afterEach, expect, test } from "bun:test";
import * as nodes from "../../db/storage/nodes/nodes";
import * as uploads from "../../db/storage/uploads";
import * as endpoints from "../../db/webhooks/endpoints";
import { list, redeliver } from "../../db/webhooks/deliveries";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { store } from "../../test/support/storage/stored-files";
import { webhookReceiver } from "../../test/support/webhooks";
import { makeSecret } from "./secrets";
import { WebhookSender } from "./sender";

const minute = 60_000;
const by = { actor: "ada@example.com" };
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

type Fields = Partial<endpoints.EndpointFields>;
type Body = { data: { files: { id: string }[]; state: string } };
const accepting = () => Response.json({ accept: true });

/** A service with storage, a receiver with one endpoint that decides about uploads, and a sender. */
async function stage(fields: Fields = {}) {
  const receiver = webhookReceiver({ now: () => service.now() });
  const service = await testService(receiver.env);
  const { clock, config, db, now, storage } = service;
  const add = async (more: Fields) => {
    const { secret, sealed } = makeSecret(config);
    receiver.secrets.push(secret);
    const whole = { name: "Scanner", url: receiver.url, events: ["upload.verify"], withPeople: false, ...more };
    const endpoint = await endpoints.add(db, { fields: whole, secret: sealed }, by, now());
    if (!endpoint) throw new Error("There are too many");
    return endpoint;
  };
  const endpoint = await add(fields);
  const senderWith = (options: object) => new WebhookSender(service, { random: () => 0.5, ...options });
  const sender = senderWith({});
  afterwards.push(
    () => receiver.stop(),
    () => db.close(),
    () => sender.close(),
  );
  const headers = await service.key();
  const ask = async (path: string) =>
    (await (await service.send(`/api/v1/storage/${path}`, { headers })).json()) as Body;
  const files = async () => (await ask("files")).data.files.map(({ id }) => id);
  const stateOf = async (id: string) => {
    const { state, outcome } = (await uploads.find(db, id)) ?? {};
    return [state, outcome];
  };
  /** What the node has: bytes in use and reserved. */
  const bytes = async () => {
    const [node] = await nodes.list(db);
    return [node?.usedBytes, node?.reservedBytes];
  };
  const later = async (ms: number) => {
    clock.time += ms;
    await sender.drain();
    await storage.sweep();
  };
  const questions = () => receiver.attempts.filter(({ type }) => type === "upload.verify");
  return {
    ...service,
    add,
    ask,
    bytes,
    endpoint,
    files,
    headers,
    later,
    questions,
    receiver,
    sender,
    senderWith,
    stateOf,
  };
}

test("no one sees an upload before the endpoint has accepted it, which it can read by a link", async () => {
  const { add, ask, bytes, clock, files, headers, later, questions, receiver, send, signIn, stateOf, ...service } =
    await stage();
  await add({ name: "Everything", events: [] });
  let read = "";
  receiver.answer = async ({ data }) => {
    if (data.url) read = await (await fetch(String(data.url))).text();
    return accepting();
  };
  const [id = ""] = await store({ clock, ...service }, { body: "12345", filename: "é.txt", folderPath: "inbox" });
  expect([await stateOf(id), await bytes()]).toEqual([
    ["completing", null],
    [0, 5],
  ]);
  expect((await ask("files?folderPath=inbox")).data.files).toEqual([]);
  expect((await send(`/api/v1/storage/files/${id}`, { headers })).status).toBe(404);
  expect((await send(`/media/${id}/a.txt`)).status).toBe(404);
  expect(receiver.attempts).toEqual([]);
  const manager = await signIn();
  expect(await (await manager.get("/dashboard/storage/uploads")).text()).toContain("Being verified");
  await later(minute);
  expect(questions().map(({ data }) => data)).toEqual([
    {
      ...{ id, filename: "é.txt", mimeType: "text/plain", size: 5, folderPath: "inbox" },
      url: expect.stringContaining("X-Amz-Expires=300"),
      expiresAt: expect.stringMatching(/^20\d\d-/),
    },
  ]);
  expect([read, await stateOf(id), await bytes()]).toEqual(["12345", ["completed", null], [5, 0]]);
  expect((await ask("files?folderPath=inbox")).data.files).toMatchObject([{ id }]);
  await later(minute);
  expect(receiver.accepted.map(({ type }) => type)).toEqual(["upload.verify", "upload.completed"]);
  expect(await files()).toEqual([]);
});

test("a refused upload is deleted at its node and reported with the reason", async () => {
  const { add, bytes, db, later, receiver, signIn, stateOf, storage, ...service } = await stage();
  await add({ name: "Log", events: ["upload.refused", "upload.completed"] });
  receiver.answer = () => Response.json({ accept: false, reason: ` EICAR\n\u202efound${"x".repeat(300)}` });
  const [id = ""] = await store({ storage, ...service }, {});
  const { objectKey = "" } = (await uploads.find(db, id)) ?? {};
  const manager = await signIn();
  await later(1_000);
  const reason = `EICAR found${"x".repeat(189)}`;
  expect([await stateOf(id), await bytes()]).toEqual([
    ["aborted", `refused by Scanner: ${reason}`],
    [0, 0],
  ]);
  const ended = await (await manager.get("/dashboard/storage/uploads?view=ended")).text();
  expect(ended).toContain("Refused by Scanner: EICAR found");
  await later(1_000);
  expect(receiver.attempts.map(({ type, data }) => [type, data.reason])).toEqual([
    ["upload.verify", undefined],
    ["upload.refused", reason],
  ]);
  const left = await storage.links.download({
    nodeId: (await nodes.list(db))[0]?.id ?? "",
    objectKey,
    filename: "a",
    mimeType: "a/b",
  });
  expect((await fetch(left)).status).toBe(404);
});

const noAnswers: [string, () => Response][] = [
  ["nothing", () => new Response(null, { status: 204 })],
  ["no decision", () => Response.json({ accepted: true })],
  ["a text", () => Response.json({ accept: "true" })],
  ["no JSON", () => new Response("accept: true")],
  ["too much", () => Response.json({ reason: "x".repeat(2_000), accept: true })],
  ["a redirect", () => Response.redirect("http://127.0.0.1:9/")],
  ["an error", () => Response.json({ accept: true }, { status: 500 })],
];
test.each(noAnswers)(
  "%s is no answer: the endpoint is asked eight times, and then the upload is refused",
  async (_, answer) => {
    const { files, later, questions, receiver, stateOf, ...service } = await stage();
    receiver.answer = answer;
    const [id = ""] = await store(service, {});
    for (const seconds of [0, 5, 15, 30, 60, 120, 240]) await later(seconds * 1_000);
    expect([questions().length, await stateOf(id)]).toEqual([7, ["completing", null]]);
    expect(new Set(questions().map((question) => question.id)).size).toBe(1);
    await later(420_000);
    expect([questions().length, await stateOf(id)]).toEqual([8, ["aborted", "refused by Scanner: no answer"]]);
    await later(60 * minute);
    expect([questions().length, await files()]).toEqual([8, []]);
  },
);

test("an endpoint may say that uploads it does not answer are accepted", async () => {
  const { files, later, receiver, ...service } = await stage({ acceptsUnanswered: true });
  receiver.answer = () => 500;
  const [id = ""] = await store(service, {});
  for (let i = 0; i < 7; i++) await later(7 * minute);
  expect(await files()).toEqual([]);
  await later(7 * minute);
  expect(await files()).toEqual([id]);
});

test("an answer after the endpoint's seconds is none", async () => {
  const { db, endpoint, receiver, sender, ...service } = await stage({ verifySeconds: 1 });
  const answered = Promise.withResolvers<Response>();
  receiver.answer = () => answered.promise;
  await store(service, {});
  await sender.drain();
  answered.resolve(accepting());
  const { rows } = await list(db, { endpointId: endpoint.id }, { page: 1, per: 10 });
  expect(rows).toMatchObject([{ state: "queued", attempts: 1, error: "No answer within 1 second." }]);
});

test("every endpoint must accept, and the first that refuses ends the questions to the others", async () => {
  const { add, files, later, questions, receiver, stateOf, ...service } = await stage();
  await add({ name: "Policy", acceptsUnanswered: true });
  let isSecondReady = false;
  receiver.answer = ({ id, data }) => {
    const isFirst = questions().find((question) => question.data.filename === data.filename)?.id === id;
    if (data.filename === "b.txt") return isFirst ? 500 : Response.json({ accept: false });
    return isFirst || isSecondReady ? accepting() : 500;
  };
  const [accepted = "", refused = ""] = await store(service, {}, { filename: "b.txt" });
  await later(0);
  expect([await files(), (await stateOf(accepted))[0]]).toEqual([[], "completing"]);
  expect((await stateOf(refused))[1]).toMatch(/^refused by (Scanner|Policy)$/);
  isSecondReady = true;
  await later(minute);
  expect(await files()).toEqual([accepted]);
  await later(15 * minute);
  expect(questions().filter(({ data }) => data.filename === "b.txt")).toHaveLength(2);
});

test("an endpoint that a manager has turned off decides about nothing; what waited for it is decided in 15 minutes", async () => {
  const { db, endpoint, files, later, now, questions, stateOf, ...service } = await stage();
  const stageNow = { ...service, db, now };
  const [waiting = ""] = await store(stageNow, {});
  await endpoints.turn(db, { id: endpoint.id, state: "off" }, by, now());
  const [free = ""] = await store(stageNow, {});
  expect(await files()).toEqual([free]);
  await later(14 * minute);
  expect(await stateOf(waiting)).toEqual(["completing", null]);
  await later(minute);
  expect([await stateOf(waiting), questions()]).toEqual([["aborted", "refused by Scanner: no answer"], []]);
});

test("an endpoint that is broken or says 410 still decides: uploads are refused until a manager turns it off", async () => {
  const { db, endpoint, later, now, receiver, stateOf, ...service } = await stage();
  const stageNow = { ...service, db, now };
  receiver.answer = () => 410;
  const [first = ""] = await store(stageNow, {});
  await later(0);
  expect((await endpoints.byId(db, endpoint.id))?.state).toBe("broken");
  expect(await stateOf(first)).toEqual(["completing", null]);
  const [second = ""] = await store(stageNow, {});
  await later(15 * minute);
  for (const id of [first, second]) expect(await stateOf(id)).toEqual(["aborted", "refused by Scanner: no answer"]);
});

test.each([
  [false, "aborted"],
  [true, "completed"],
])("removing an endpoint decides as it would without an answer (%p: %s)", async (acceptsUnanswered, state) => {
  const { bytes, db, endpoint, later, now, stateOf, ...service } = await stage({ acceptsUnanswered });
  const [id = ""] = await store(service, {});
  await endpoints.remove(db, endpoint.id, by, now());
  await later(1_000);
  expect([(await stateOf(id))[0], await bytes()]).toEqual([state, [state === "completed" ? 5 : 0, 0]]);
});

test("an upload that no endpoint is left to decide about is refused", async () => {
  const { db, later, stateOf, ...service } = await stage();
  const [id = ""] = await store(service, {});
  await look(db, "delete from webhook_deliveries");
  await later(2 * minute);
  await later(minute);
  expect(await stateOf(id)).toEqual(["aborted", "refused by Postroom: no endpoint is left to verify it"]);
});

test.each(["after claim", "after post"] as const)(
  "a process killed %s leaves the question to another one, which asks under the same ID and decides once",
  async (at) => {
    const { bytes, clock, files, later, questions, receiver, senderWith, ...service } = await stage();
    receiver.answer = accepting;
    const [id = ""] = await store({ clock, ...service }, {});
    const reached = Promise.withResolvers<void>();
    const killed = senderWith({
      graceMs: 0,
      reach: (point: string) => {
        if (point !== at) return;
        reached.resolve();
        return new Promise(() => {}); // never goes on
      },
    });
    const drained = killed.drain().then(() => Promise.reject(new Error(`It never came to the point ${at}`)));
    await Promise.race([reached.promise, drained]);
    await later(minute);
    expect([await files(), questions().length]).toEqual([[], at === "after post" ? 1 : 0]);
    await later(minute);
    expect([await files(), await bytes()]).toEqual([[id], [5, 0]]);
    expect(new Set(questions().map((question) => question.id)).size).toBe(1);
    await later(10 * minute);
    expect(await bytes()).toEqual([5, 0]);
  },
);

test("a question that was answered is not asked again by hand", async () => {
  const { db, endpoint, later, now, questions, receiver, ...service } = await stage();
  receiver.answer = accepting;
  await store(service, {});
  await later(0);
  expect(await redeliver(db, { endpoint, id: questions()[0]?.id ?? "" }, by, now())).toBe(0);
});
