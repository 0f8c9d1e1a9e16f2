import { expect, test } from "bun:test";
import { countAudience, draftAudience } from "../../db/broadcasts/audience";
import { withContent } from "../../db/broadcasts/broadcasts";
import { create } from "../../db/broadcasts/edit";
import { changePeople } from "../../db/newsletter/change-people";
import * as subscribers from "../../db/newsletter/subscribers";
import { addTopic, allTopics } from "../../db/newsletter/topics";
import { by } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { confirmBroadcast } from "./freeze";

test("a broadcast to a topic goes to who has chosen it, within its segment, and says so when it is confirmed", async () => {
  const { config, db, now, signIn } = await testService();
  const manager = await signIn();
  await addTopic(db, { name: "Field notes", sentence: "", isDefault: false }, by, now());
  const [topic] = await db.read(allTopics);
  if (!topic) throw new Error("No topic");
  for (const [email, source, topics] of [
    ["ada@x.example", "blog", ["field-notes"]],
    ["bo@x.example", "shop", ["field-notes"]],
    ["cy@x.example", "blog", []],
    ["di@x.example", "blog", ["field-notes"]],
  ] as const)
    await subscribers.subscribe(db, { email, source, topics: [...topics] }, { via: "form" }, now());
  const di = await subscribers.byEmail(db, "di@x.example");
  if (!di) throw new Error("Di is missing");
  const left = { person: di, topics: { add: [], remove: [topic] } };
  await db.write((orm) => changePeople(orm, [left], { via: "preferences" }, now()));

  const fields = { subject: "Tides", preheader: "", fromName: "", archive: "none" as const, content: "Hello" };
  const segment = { v: 2 as const, any: [{ field: "source" as const, is: "any" as const, of: ["blog"] }] };
  const { id } = await create(db, { source: { kind: "own" }, fields: { ...fields, segment } }, by, now());
  const page = `/dashboard/broadcasts/${id}`;
  expect(await (await manager.get(`${page}/audience`)).text()).toContain(
    "Only people who chose this topic get the email",
  );
  const was = (await withContent(db, id))?.segment ?? "";
  const audience = async (topicRow: number | null, json = was) => {
    const frozen = await draftAudience(db, { segment: json, topicRow }, now());
    return frozen && countAudience(db, frozen);
  };
  expect([await audience(null), await audience(topic.row), await audience(topic.row, "{}")]).toEqual([3, 1, 2]);

  await manager.submit(`${page}/audience`, { do: "use", was, topic: topic.id });
  expect(await look(db, "select topic_row, segment from broadcasts")).toEqual([
    { topic_row: topic.row, segment: "{}" },
  ]);
  expect(await (await manager.get(page)).text()).toContain("People who chose “Field notes”");
  const result = await confirmBroadcast({ config, db }, id, { at: now(), by }, now());
  expect(result).toMatchObject({ outcome: "changed", broadcast: { audience: 2 } });
  const [row] = await look<{ frozen_segment: string }>(db, "select frozen_segment from broadcasts");
  expect(JSON.parse(row?.frozen_segment ?? "")).toMatchObject({
    all: [{ field: "topic", is: "any", of: ["field-notes"] }],
  });
});
