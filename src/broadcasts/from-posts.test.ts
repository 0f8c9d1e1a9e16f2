import { expect, test } from "bun:test";
import { ofPost } from "../../db/broadcasts/with-post";
import { applyAction } from "../../db/posts/bulk";
import * as postEdits from "../../db/posts/edit";
import { save } from "../../db/posts/posts";
import { day, hour, minute, openStory, rulesPath } from "../../test/support/broadcasts/from-posts";
import { look } from "../../test/support/look";

test("a published post is sent once by itself after 10 minutes, whatever processes end in between", async () => {
  const { rule, draft, publish, unpublish, work, later, newsletters, emails, manager } = await openStory();
  await rule({ becomes: "send" });
  const id = await draft();
  expect((await publish(id)).status).toBe(303);
  expect(await newsletters(id)).toEqual(["draft"]);
  await work();
  expect([await newsletters(id), await emails()]).toEqual([["scheduled"], 0]);
  expect(await (await manager.get("/dashboard/broadcasts?tab=scheduled")).text()).toContain("Rain");
  await later(9 * minute);
  expect(await emails()).toBe(0);
  await later(minute);
  expect([await newsletters(id), await emails()]).toEqual([["sent"], 3]);
  await unpublish(id);
  await publish(id);
  await later(hour);
  expect([await newsletters(id), await emails()]).toEqual([["sent"], 3]);
});

test("the question before publishing says what a rule will do, and so does the answer", async () => {
  const { rule, draft, publish, manager } = await openStory();
  const [id, other] = [await draft(), await draft("Fog")];
  const sheet = async (post: string) => (await manager.get(`/dashboard/posts/${post}/publish`)).text();
  const told = async () => (await manager.get("/dashboard/posts")).text();
  expect(await sheet(id)).not.toContain("A rule");
  await rule({ becomes: "send" });
  expect(await sheet(id)).toContain("A rule sends it as a newsletter 10 minutes later; until then you can stop it.");
  await publish(id);
  expect(await told()).toContain("published. A rule sends it as a newsletter 10 minutes later");
  expect(await sheet(id)).not.toContain("A rule");
  await publish(other, { when: "at", day: "2020-01-01", time: "10:00" }); // its date says that it is not new
  expect(await told()).not.toContain("A rule");
});

test("unpublished before it is sent, nothing is sent, until it is published again", async () => {
  const { rule, draft, publish, unpublish, work, later, newsletters, emails } = await openStory();
  await rule({ becomes: "send" });
  const id = await draft();
  await publish(id);
  await unpublish(id); // before the letter is written
  await later(hour);
  expect([await newsletters(id), await emails()]).toEqual([[], 0]);
  await publish(id);
  await work();
  await unpublish(id); // and after it
  await later(hour);
  expect([await newsletters(id), await emails()]).toEqual([[], 0]);
  await publish(id);
  await later(0);
  await later(10 * minute);
  expect([await newsletters(id), await emails()]).toEqual([["sent"], 3]);
});

test("it goes out as it reads by then, and a manager stops it for good", async () => {
  const { rule, draft, publish, unpublish, work, later, newsletters, emails, db, by, now, manager } = await openStory();
  await rule({ becomes: "send" });
  const id = await draft();
  await publish(id);
  await work();
  const post = await postEdits.byId(db, id);
  if (!post) throw new Error("The post is gone");
  const edited = { fields: { ...post, tags: [], content: "Dry after all." }, typed: { fields: {}, content: "" } };
  await postEdits.edit(db, { id, version: post.version, ...edited }, by, now());
  await work();
  const [letter] = await look<{ letter: string; scheduled_at: number }>(
    db,
    "select letter, scheduled_at from broadcast_letters join broadcasts on broadcasts.row = broadcast_row",
  );
  expect(letter?.letter).toContain("Dry after all.");
  expect(letter?.scheduled_at).toBe(now().getTime() + 10 * minute);
  const [broadcast] = await ofPost(db, id);
  await manager.submit(`/dashboard/broadcasts/${broadcast?.id}/unschedule`, { version: String(broadcast?.version) });
  await later(hour);
  expect([await newsletters(id), await emails()]).toEqual([["draft"], 0]);
  await unpublish(id);
  await publish(id);
  await later(hour);
  expect([await newsletters(id), await emails()]).toEqual([["draft"], 0]);
});

test("the first rule that fits decides, by tag; what it does not name gets nothing", async () => {
  const { rule, draft, publish, later, newsletters, db } = await openStory();
  const [news, notes, other] = [await draft("News", ["News"]), await draft("Notes", ["Notes"]), await draft("Other")];
  await rule({ becomes: "none", tag: "Notes" });
  await rule({ becomes: "draft", tag: "News" });
  expect((await rule({ becomes: "draft", tag: "Unheard of" })).status).toBe(422);
  expect((await rule({ becomes: "everything" })).status).toBe(422);
  for (const id of [news, notes, other]) await publish(id);
  await later(hour);
  expect([await newsletters(news), await newsletters(notes), await newsletters(other)]).toEqual([["draft"], [], []]);
  expect(await look(db, "select subject, preheader from broadcasts")).toEqual([
    { subject: "News", preheader: "Three sensors" },
  ]);
});

test("a rule sends nothing that was public before it, is imported, dated long ago, or has a newsletter", async () => {
  const { rule, draft, publish, unpublish, later, emails, newsletters, db, now } = await openStory();
  const [early, old, own] = [await draft("Early"), await draft("Old"), await draft("Own")];
  await publish(early);
  await rule({ becomes: "send" });
  await unpublish(early);
  await publish(early);
  await publish(old, { when: "at", day: "2026-11-13", time: "08:00" });
  await save(db, { title: "Imported", slug: "imported", published: true }, now());
  await publish(own, { when: "now", do: "show", send: "yes", subject: "My own", preheader: "" });
  await publish(own); // its newsletter is a draft since it was looked at in the dialog
  await later(hour);
  expect([await newsletters(early), await newsletters(old), await newsletters(own)]).toEqual([[], [], ["draft"]]);
  expect(await emails()).toBe(0);
});

test("of many posts that are published at once, none is sent by itself", async () => {
  const { rule, draft, later, emails, newsletters, db, by, now } = await openStory();
  await rule({ becomes: "send" });
  const ids = [await draft("One"), await draft("Two"), await draft("Three"), await draft("Four")];
  await applyAction(db, { action: "publish", selection: { ids } }, by, now());
  await later(hour);
  expect([await emails(), await Promise.all(ids.map(newsletters))]).toEqual([0, Array(4).fill(["draft"])]);
});

test("what fails a check, or is more than a day late, is a draft, and the owner is told", async () => {
  const { rule, draft, publish, later, emails, newsletters, db } = await openStory(
    "![](https://elsewhere.example/a.png)",
  );
  await rule({ becomes: "send" });
  const [now, scheduled] = [await draft("Now"), await draft("Scheduled")];
  await publish(now);
  await publish(scheduled, { when: "at", day: "2026-11-22", time: "08:00" });
  await later(minute);
  expect(await newsletters(now)).toEqual(["draft"]);
  await later(3 * day);
  expect([await newsletters(scheduled), await emails()]).toEqual([["draft"], 0]);
  const told = await look<{ payload: string }>(
    db,
    "select payload from outbox where kind = 'notice' order by created_at",
  );
  expect(told.map(({ payload }) => JSON.parse(payload).reason)).toEqual(["checks", "late"]);
});

test("managers turn rules off and on, order them and delete them", async () => {
  const { rule, manager, draft, publish, later, newsletters, db } = await openStory();
  expect(await (await manager.get(rulesPath)).text()).toContain("No rules yet");
  await rule({ becomes: "send" });
  await rule({ becomes: "draft" });
  const [send, second] = await look<{ id: string }>(db, "select id from post_rules order by position");
  await manager.submit(`${rulesPath}/${second?.id}/up`, {});
  await manager.submit(`${rulesPath}/${second?.id}/off`, {});
  const page = await (await manager.get(rulesPath)).text();
  expect(page.indexOf("A draft newsletter")).toBeLessThan(page.indexOf("Sent 10 minutes later"));
  expect(page).toContain("All posts");
  await manager.submit(`${rulesPath}/${send?.id}/delete`, {});
  const id = await draft();
  await publish(id);
  await later(hour);
  expect(await newsletters(id)).toEqual([]);
  await manager.submit(`${rulesPath}/${second?.id}/on`, {});
  await manager.submit(`${rulesPath}/${second?.id}/edit`, { tag: "", becomes: "draft", topic: "" });
  const next = await draft("Next");
  await publish(next);
  expect(await newsletters(next)).toEqual(["draft"]);
});
