import { expect, test } from "bun:test";
import { addPeople, broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { byId } from "./broadcasts";
import { leaveUncertain, sendAgain } from "./sending/promote";
import { deleteExpired } from "./retention";
import { cancel, confirm } from "./states";
import { look } from "../../test/support/look";

const day = 86_400_000;
const rowsOf = async (stage: Awaited<ReturnType<typeof broadcastStage>>, table: string) =>
  (await look<{ n: number }>(stage.db, `select count(*) n from ${table}`))[0]?.n;

test("recipients of a broadcast are deleted after 13 months; the figures stay", async () => {
  const stage = await broadcastStage({ people: 2_500 });
  const id = await stage.confirmed();
  await stage.sender().drain();
  stage.clock.time += 396 * day;
  await deleteExpired(stage.db, stage.now());
  expect(await rowsOf(stage, "broadcast_recipients")).toBe(2_500);
  stage.clock.time += 1;
  await deleteExpired(stage.db, stage.now());
  expect([await rowsOf(stage, "broadcast_recipients"), await rowsOf(stage, "broadcast_batches")]).toEqual([0, 0]);
  expect(await byId(stage.db, id)).toMatchObject({ claimed: 2_500, simulated: 2_500, detailGoneAt: stage.now() });
  await stage.db.close();
});

test("a cancelled broadcast in the trash is deleted after 30 days, with everything that belongs to it", async () => {
  const stage = await broadcastStage({ people: 10 });
  const id = await stage.confirmed();
  await stage.sender().drain();
  await look(stage.db, "update broadcasts set state = 'cancelled', deleted_at = ?", [stage.clock.time]);
  stage.clock.time += 30 * day;
  await deleteExpired(stage.db, stage.now());
  expect(await byId(stage.db, id)).toBeDefined();
  stage.clock.time += 1;
  await deleteExpired(stage.db, stage.now());
  for (const table of ["broadcasts", "broadcast_letters", "broadcast_recipients", "broadcast_batches"])
    expect([table, await rowsOf(stage, table)]).toEqual([table, 0]);
  await stage.db.close();
});

test("uncertain and failed recipients get it again in batches, once, or are left as they are", async () => {
  const stage = await broadcastStage({ people: 250 });
  const { db, now } = stage;
  const id = await stage.confirmed();
  await stage.sender().drain();
  await look(db, "update broadcast_recipients set state = 3 where row <= 230");
  await look(db, "update broadcast_recipients set state = 2 where row > 240");
  await look(db, "update subscribers set state = 'unsubscribed' where row = 7");
  const seen = await stage.broadcast(id);
  expect(await sendAgain(db, { seen, to: "uncertain" }, by, now())).toMatchObject({ outcome: "changed" });
  expect((await sendAgain(db, { seen, to: "uncertain" }, by, now())).outcome).toBe("conflict");
  expect(await stage.broadcast(id)).toMatchObject({ state: "sending", uncertain: 0, failed: 10, finishedAt: null });
  await stage.sender().drain();
  expect(await stage.recipients()).toEqual({ simulated: 239, skipped: 1, failed: 10 });
  await sendAgain(db, { seen: await stage.broadcast(id), to: "failed" }, by, now());
  await stage.sender().drain();
  expect(await stage.recipients()).toEqual({ simulated: 249, skipped: 1 });
  expect((await stage.broadcast(id)).state).toBe("sent");
  await leaveUncertain(db, await stage.broadcast(id), by, now());
  expect((await stage.broadcast(id)).uncertainReviewedAt).toEqual(now());
  await db.close();
});

test("someone who joins after the start is not included, even with the row of a deleted subscriber", async () => {
  const stage = await broadcastStage({ people: 3 });
  const id = await stage.confirmed();
  await stage.sender().drain();
  await look(stage.db, "delete from subscribers where row = 3");
  await addPeople(stage.db, 1);
  const got = await look(stage.db, "select subscriber_row from broadcast_recipients order by row");
  expect(got).toEqual([{ subscriber_row: 1 }, { subscriber_row: 2 }, { subscriber_row: null }]);
  expect(await stage.broadcast(id)).toMatchObject({ claimed: 3, ceiling: 3 });
  const again = await stage.confirmed({ segment: { v: 2, all: [{ field: "broadcast", is: "notGot", of: id }] } });
  await stage.sender().drain();
  expect((await stage.broadcast(again)).claimed).toBe(3); // simulated emails do not count as received
  expect((await cancel(stage.db, await stage.broadcast(again), by, stage.now())).outcome).toBe("conflict");
  expect(
    (
      await confirm(
        stage.db,
        {
          seen: await stage.broadcast(again),
          to: { at: stage.now(), audience: 0, frozen: { letter: null, page: null, bytes: 0 } },
        },
        by,
        stage.now(),
      )
    ).outcome,
  ).toBe("conflict");
  await stage.db.close();
});
