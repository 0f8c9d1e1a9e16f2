import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { addStep, moveStepUp, removeStep, setWait } from "../../db/sequences/edit";
import { beginEdition, discardEdition, endOldEditions } from "../../db/sequences/editions";
import { whereabouts } from "../../db/sequences/report";
import { draftEdition, stepsIn } from "../../db/sequences/sequences";
import { end, pause, resume } from "../../db/sequences/states";
import * as subscribers from "../../db/newsletter/subscribers";
import { by } from "../../test/support/broadcasts/broadcasts";
import { sequenceStage } from "../../test/support/broadcasts/sequence-stage";
import {
  hours,
  placesIn,
  publishedEdition,
  sequenceOf,
  startedSequence,
} from "../../test/support/broadcasts/sequences";
import { isOnPostgres, look } from "../../test/support/look";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const hour = 3_600_000;
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

type Stage = Awaited<ReturnType<typeof sequenceStage>>;

/** A course of three emails, of which "ada" has had the first, and an edition without the second and with a new last one. */
async function edited({ db, now, later, subscribe }: Stage, carriesOn: boolean) {
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(2), hours(2)] });
  await subscribe("ada@x.example");
  await later(0);
  const emails = await publishedEdition(
    db,
    {
      id: course.id,
      carriesOn,
      change: async ({ seen, steps }) => {
        await removeStep(db, { seen, broadcastId: steps[1]?.broadcast.id ?? "" }, by, now());
        const step = { wait: hours(1), subject: "New", content: "New" };
        await addStep(db, { seen: await sequenceOf(db, course.id), step }, by, now());
      },
    },
    now(),
  );
  return { ...course, emails: [...course.emails, ...emails] };
}

test("who is in a sequence keeps the emails that they began, and whoever begins later gets the new ones", async () => {
  const stage = await sequenceStage(afterwards);
  const { db, now, subscribe, later, gotOf } = stage;
  const course = await edited(stage, false);
  await subscribe("bob@x.example");
  for (let i = 0; i < 8; i++) await later(hour);
  expect(gotOf(course)).toEqual(["ada 1", "bob 4", "ada 2", "bob 5", "bob 6", "ada 3"]);
  expect(await placesIn(db)).toEqual({ "ada@x.example": "done", "bob@x.example": "done" });
  await endOldEditions(db, now());
  const states = await look(db, "select state from broadcasts order by row");
  expect(states.map(({ state }) => state)).toEqual(["sent", "sent", "sent", "sending", "sending", "sending"]);
});

test("or goes on with the new ones after the last email that they had, and gets none twice", async () => {
  const stage = await sequenceStage(afterwards);
  const { db, subscribe, later, gotOf } = stage;
  const course = await edited(stage, true);
  await subscribe("bob@x.example");
  for (let i = 0; i < 8; i++) await later(hour);
  expect(gotOf(course).filter((got) => got.startsWith("ada"))).toEqual(["ada 1", "ada 5", "ada 6"]);
  expect(gotOf(course).filter((got) => got.startsWith("bob"))).toEqual(["bob 4", "bob 5", "bob 6"]);
  expect(await placesIn(db)).toEqual({ "ada@x.example": "done", "bob@x.example": "done" });
});

test("an email that moved before those that someone has had is not skipped", async () => {
  const stage = await sequenceStage(afterwards);
  const { db, now, subscribe, later, gotOf } = stage;
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(1), hours(3)] });
  await subscribe("ada@x.example");
  await later(0);
  await later(hour);
  const emails = await publishedEdition(
    db,
    {
      id: course.id,
      carriesOn: true,
      change: async ({ seen, steps }) => {
        await moveStepUp(db, { seen, broadcastId: steps[2]?.broadcast.id ?? "" }, by, now());
      },
    },
    now(),
  );
  for (let i = 0; i < 6; i++) await later(hour);
  expect(gotOf({ emails: [...course.emails, ...emails] })).toEqual(["ada 1", "ada 2", "ada 5"]);
  expect(await placesIn(db)).toEqual({ "ada@x.example": "done" });
});

test("an email that is on its way when a new edition is published is the last of the old one", async () => {
  const { db, now, subscribe, later, gotOf, provider } = await sequenceStage(afterwards);
  const course = await startedSequence(db, now(), { waits: [hours(0), hours(2)] });
  await subscribe("ada@x.example");
  let emails: string[] = [];
  provider.behave = async () => {
    provider.behave = () => undefined;
    const change = async () => {};
    emails = await publishedEdition(db, { id: course.id, carriesOn: true, change }, now());
    return undefined;
  };
  await later(0);
  await later(2 * hour);
  expect(gotOf({ emails: [...course.emails, ...emails] })).toEqual(["ada 1", "ada 4"]);
});

test("whoever leaves before they go on is stopped, and whoever pauses goes on held", async () => {
  const stage = await sequenceStage(afterwards);
  const { db, now, later, subscribe, gotOf } = stage;
  const course = await startedSequence(db, now(), { waits: [hours(1)] });
  for (const name of ["left", "held"]) await subscribe(`${name}@x.example`);
  await subscribers.unsubscribe(db, "left@x.example", { via: "link" }, now());
  await look(db, "update subscribers set paused_until = 9999999999999 where email = 'held@x.example'");
  const emails = await publishedEdition(
    db,
    {
      id: course.id,
      carriesOn: true,
      change: async ({ seen, steps }) =>
        setWait(db, { seen, broadcastId: steps[0]?.broadcast.id ?? "", wait: hours(3) }, by, now()),
    },
    now(),
  );
  await later(0);
  expect(await placesIn(db)).toEqual({
    "held@x.example": "held 2026-11-21T15:00:00.000Z",
    "left@x.example": "stopped left",
  });
  await later(9 * hour);
  expect(gotOf({ emails: [...course.emails, ...emails] })).toEqual([]);
});

test("a new edition of a paused sequence waits with it, one that is discarded changes nothing, and an ended sequence has no drafts", async () => {
  const { db, now, subscribe, later, gotOf } = await sequenceStage(afterwards);
  const course = await startedSequence(db, now(), { waits: [hours(1)] });
  await subscribe("ada@x.example");
  await pause(db, await sequenceOf(db, course.id), by, now());
  const change = async () => {};
  const emails = await publishedEdition(db, { id: course.id, carriesOn: true, change }, now());
  await later(2 * hour);
  expect(gotOf({ emails })).toEqual([]);
  const why = "select state, state_reason as reason from broadcasts where id = ?";
  expect(await look(db, why, emails)).toEqual([{ state: "paused", reason: "sequence" }]);
  await resume(db, await sequenceOf(db, course.id), by, now());
  await later(0);
  expect(gotOf({ emails })).toEqual(["ada 1"]);

  await beginEdition(db, await sequenceOf(db, course.id), by, now());
  const first = await sequenceOf(db, course.id);
  const [only] = await db.read((orm) => stepsIn(orm, first, draftEdition(first)));
  const broadcastId = only?.broadcast.id ?? "";
  expect((await removeStep(db, { seen: first, broadcastId }, by, now())).outcome).toBe("conflict");
  await discardEdition(db, first, by, now());
  const without = await sequenceOf(db, course.id);
  expect(without.edition).toBe(2);
  const step = { wait: hours(1), subject: "New", content: "New" };
  expect((await addStep(db, { seen: without, step }, by, now())).outcome).toBe("conflict"); // none is being written
  await beginEdition(db, without, by, now());
  await end(db, await sequenceOf(db, course.id), by, now());
  expect(await look(db, "select state from broadcasts order by row")).toEqual([
    { state: "cancelled" },
    { state: "cancelled" },
  ]);
});

const edits = Number(Bun.env.SEQUENCE_EDITS ?? (isOnPostgres ? 40 : 100));

test("SEQ4: whatever is edited while people are in, nobody gets an email of the same number twice", async () => {
  const stage = await sequenceStage(afterwards);
  const { db, now, subscribe, later, provider } = stage;
  let seed = 7;
  const draw = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  const { id } = await startedSequence(db, now(), { waits: [hours(0), hours(1), hours(2), hours(1)] });
  for (let i = 0; i < edits; i++) {
    for (let n = 0; n < 200 / edits; n++) await subscribe(`p${i}.${n}@x.example`);
    await publishedEdition(
      db,
      {
        id,
        carriesOn: draw(3) > 0,
        change: async ({ seen, steps }) => {
          const at = { seen, broadcastId: steps[draw(steps.length)]?.broadcast.id ?? "" };
          const what = draw(4);
          if (what === 0) await removeStep(db, at, by, now());
          else if (what === 1) await moveStepUp(db, at, by, now());
          else if (what === 2) await setWait(db, { ...at, wait: hours(draw(4)) }, by, now());
          else await addStep(db, { seen, step: { wait: hours(1), subject: "More", content: "More" } }, by, now());
        },
      },
      now(),
    );
    await later(hour / (1 + draw(3)));
  }
  for (let i = 0; i < 60; i++) await later(hour);
  const numbers = new Map(
    (
      await look<{ id: string; number: number }>(
        db,
        "select broadcasts.id, number from sequence_steps join broadcasts on broadcasts.row = broadcast_row",
      )
    ).map((step) => [step.id, Number(step.number)]),
  );
  const got = provider.delivered().map(({ to, tags = [] }) => {
    const broadcast = tags.find(({ name }) => name === "postroom_b")?.value ?? "";
    return `${to[0]} ${numbers.get(broadcast)}`;
  });
  expect(got.length).toBeGreaterThan(200);
  expect(got.length - new Set(got).size).toBe(0);
  const { entered, done, stopped, byStep } = await whereabouts(db, await sequenceOf(db, id));
  expect([byStep.size, done]).toEqual([0, entered - stopped]);
});
