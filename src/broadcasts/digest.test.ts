import { expect, test } from "bun:test";
import { gatherDue } from "../../db/broadcasts/from-posts/digests";
import { create } from "../../db/broadcasts/edit";
import { editRule, turnRule } from "../../db/broadcasts/from-posts/rules";
import { applyAction } from "../../db/posts/bulk";
import * as postEdits from "../../db/posts/edit";
import { day, hour, minute, openStory, rulesPath } from "../../test/support/broadcasts/from-posts";
import { look } from "../../test/support/look";
import * as settings from "../../test/support/settings";
import { translator } from "../../views/languages/translator";
import { parseMdx } from "../content/mdx/mdx";
import { digestOf } from "./from-posts";

const monday = { becomes: "digest", weekday: "1", time: "08:00", zone: "Europe/Madrid" };
const due = Date.parse("2026-11-23T07:00:00Z");

/** The story on a Saturday with a digest on Mondays at 8. */
async function openWeek(fields: Record<string, string> = monday) {
  const story = await openStory();
  const { rule, draft, later, db, clock, manager, by, now } = story;
  await settings.set(db, "postUrl", "https://blog.example/p/{slug}", { by: "test" }, now());
  expect((await rule(fields)).status).toBe(303);
  return {
    ...story,
    /** Publishes a post, as from a manager whose session has not ended. */
    async post(title: string) {
      const id = await draft(title);
      await applyAction(db, { action: "publish", selection: { ids: [id] } }, by, now());
      return id;
    },
    republish: (id: string) => applyAction(db, { action: "publish", selection: { ids: [id] } }, by, now()),
    until: (time: number) => later(time - clock.time),
    broadcasts: () =>
      look<{ id: string; subject: string; state: string; version: number; scheduled_at: number | null }>(
        db,
        "select id, subject, state, version, scheduled_at from broadcasts where deleted_at is null order by row",
      ),
    letter: async () =>
      (await look<{ content: string }>(db, "select content from broadcast_letters"))[0]?.content ?? "",
    page: async () => (await manager.get(rulesPath)).text(),
    async edit(id: string, change: { title?: string; content?: string }) {
      const post = await postEdits.byId(db, id);
      if (!post) throw new Error("The post is gone");
      const edited = { fields: { ...post, tags: [], ...change }, typed: { fields: {}, content: "" } };
      await postEdits.edit(db, { id, version: post.version, ...edited }, by, now());
    },
  };
}

test("a digest gathers the posts of a week, and goes out once at its time, whatever processes end in between", async () => {
  const { post, until, broadcasts, emails, letter, page, work } = await openWeek();
  await post("Rain");
  await post("Fog");
  expect(await broadcasts()).toEqual([]);
  expect(await page()).toContain("with “Rain”, “Fog”.");
  await until(due - 11 * minute);
  expect(await broadcasts()).toEqual([]);
  await until(due - 10 * minute);
  expect(await broadcasts()).toMatchObject([
    { subject: "Fog, and 1 more post", state: "scheduled", scheduled_at: due },
  ]);
  expect(await letter()).toContain("## [Rain](");
  expect(await emails()).toBe(0);
  await until(due);
  await work();
  expect([await emails(), (await broadcasts()).map(({ state }) => state)]).toEqual([3, ["sent"]]);
  await until(due + 8 * day);
  expect([await emails(), (await broadcasts()).length]).toEqual([3, 1]);
});

test("a rule whose day is changed sends no second digest within days of the last", async () => {
  const { post, until, broadcasts, emails, db, by, now, work } = await openWeek();
  await post("Rain");
  await until(due - 10 * minute);
  await until(due);
  await work();
  const [rule] = await look<{ id: string }>(db, "select id from post_rules");
  const schedule = { weekday: 2, minute: 480, zone: "Europe/Madrid" };
  await editRule(db, { id: rule?.id ?? "", becomes: "digest", schedule, tagSlug: null, topicRow: null }, by, now());
  await post("Fog");
  await until(due + 2 * day);
  expect([await emails(), (await broadcasts()).length]).toEqual([3, 1]);
  await until(due + 8 * day - minute);
  await until(due + 8 * day);
  await work();
  expect((await broadcasts()).map(({ subject, state }) => [subject, state])).toEqual([
    ["Rain", "sent"],
    ["Fog", "sent"],
  ]);
});

test("nothing goes out when there is nothing, and the next week's posts go out then", async () => {
  const { post, until, broadcasts, emails, db } = await openWeek();
  await until(due + hour);
  expect([await broadcasts(), await look(db, "select * from digests")]).toEqual([[], []]);
  await post("Rain");
  await until(due + 7 * day - minute);
  await until(due + 7 * day);
  expect([await emails(), (await broadcasts()).map(({ subject }) => subject)]).toEqual([3, ["Rain"]]);
});

test("processes that gather at the same moment make one digest, and a clock that is set back makes no second one", async () => {
  const { post, until, broadcasts, emails, db, now, clock, work } = await openWeek();
  await post("Rain");
  clock.time = due - minute;
  await Promise.all(Array.from({ length: 8 }, () => gatherDue(db, now())));
  expect((await broadcasts()).length).toBe(1);
  await Promise.all([work(), work(), work()]);
  await until(due);
  await work();
  await post("Fog");
  clock.time = due - hour;
  await work();
  await until(due + hour);
  expect([await emails(), (await broadcasts()).length]).toEqual([3, 1]);
  await until(due + 7 * day - minute);
  await until(due + 7 * day);
  expect([await emails(), (await broadcasts()).length]).toEqual([6, 2]);
});

test("a clock that was years ahead does not silence a digest", async () => {
  const { post, until, emails, clock, work } = await openWeek();
  await post("Rain");
  const right = clock.time;
  clock.time += 2_000 * day;
  await work(); // gathers, as a draft, because it is years late
  clock.time = right;
  await post("Fog");
  await work();
  await until(due + 7 * day - minute); // this week's has been
  await until(due + 7 * day);
  expect(await emails()).toBe(3);
});

test("until it starts, it says what its posts say, without those that are taken back", async () => {
  const { post, until, broadcasts, letter, edit, unpublish, republish, emails } = await openWeek();
  const [rain, fog] = [await post("Rain"), await post("Fog")];
  await until(due - 10 * minute);
  await edit(rain, { title: "Drizzle" });
  await until(due - 9 * minute);
  expect(await letter()).toContain("## [Drizzle](");
  expect(await broadcasts()).toMatchObject([{ state: "scheduled", scheduled_at: due }]);
  await unpublish(fog);
  await until(due - 8 * minute);
  expect(await letter()).not.toContain("Fog");
  expect(await broadcasts()).toMatchObject([{ subject: "Drizzle", state: "scheduled" }]);
  await unpublish(rain);
  await until(due + hour);
  expect([await broadcasts(), await emails()]).toEqual([[], 0]);
  await republish(fog);
  await until(due + 7 * day - minute);
  await until(due + 7 * day);
  expect([(await broadcasts()).map(({ subject }) => subject), await emails()]).toEqual([["Fog"], 3]);
});

test("a post taken back while it waits is left out, and one with a newsletter of its own is not mailed twice", async () => {
  const { post, until, broadcasts, unpublish, db, by, now, emails } = await openWeek();
  const [rain, fog] = [await post("Rain"), await post("Fog")];
  await unpublish(rain);
  const words = { subject: "Fog alone", preheader: "", fromName: "", content: "" };
  const fields = { ...words, archive: "none" as const, segment: {} };
  await create(db, { source: { kind: "post", postId: fog }, fields }, by, now());
  await until(due + hour);
  expect([(await broadcasts()).map(({ subject, state }) => [subject, state]), await emails()]).toEqual([
    [["Fog alone", "draft"]],
    0,
  ]);
});

test("a manager stops it for good, edits it, or leaves out what waits", async () => {
  const { post, until, broadcasts, manager, emails, db, page, letter, signIn } = await openWeek();
  await post("Rain");
  const [rule] = await look<{ id: string }>(db, "select id from post_rules");
  expect((await manager.submit(`${rulesPath}/${rule?.id}/skip`, {})).status).toBe(303);
  expect(await page()).toContain("No post waits for it.");
  await post("Fog");
  await until(due - 5 * minute);
  const [scheduled] = await broadcasts();
  const again = await signIn();
  await again.submit(`/dashboard/broadcasts/${scheduled?.id}/unschedule`, { version: String(scheduled?.version) });
  await until(due + hour);
  expect([(await broadcasts()).map(({ state }) => state), await emails()]).toEqual([["draft"], 0]);
  expect(await letter()).not.toContain("Rain");
});

test("off, it gathers nothing and sends nothing; on again, it leaves out what is a week old", async () => {
  const { post, until, broadcasts, manager, emails, db, page, by, now } = await openWeek();
  await post("Rain");
  const [rule] = await look<{ id: string }>(db, "select id from post_rules");
  await manager.submit(`${rulesPath}/${rule?.id}/off`, {});
  expect(await page()).toContain("Waiting until it is on: “Rain”.");
  await post("Fog");
  await until(due + 6 * day);
  expect(await broadcasts()).toEqual([]);
  await turnRule(db, { id: rule?.id ?? "", isOn: true }, by, now());
  expect(await look(db, "select state from post_mailings where state = 'waiting'")).toEqual([]);
  await post("Sun");
  await editRule(db, { id: rule?.id ?? "", becomes: "draft", tagSlug: null, topicRow: null }, by, now());
  await until(due + 30 * day);
  expect([await broadcasts(), await emails()]).toEqual([[], 0]);
});

test("more than a day late it is a draft with its text, and the owner is told; a few hours late it goes out", async () => {
  const { post, until, broadcasts, db, letter, emails, clock, work } = await openWeek();
  await post("Rain");
  clock.time = due + 2 * day;
  await work();
  await work();
  expect(await broadcasts()).toMatchObject([{ subject: "Rain", state: "draft" }]);
  expect(await letter()).toContain("## [Rain](");
  const [told] = await look<{ payload: string }>(db, "select payload from outbox where kind = 'notice'");
  expect(JSON.parse(told?.payload ?? "{}")).toMatchObject({ about: "not-sent", reason: "late" });
  await post("Fog");
  clock.time = due + 7 * day + 5 * hour;
  await work();
  expect(await broadcasts()).toMatchObject([{}, { state: "scheduled", scheduled_at: clock.time + 10 * minute }]);
  await until(clock.time + 10 * minute);
  expect(await emails()).toBe(3);
});

test("twenty posts are in a digest, and the others in the next one; every post once", async () => {
  const { draft, until, broadcasts, letter, db, by, now, page } = await openWeek();
  const ids: string[] = [];
  for (let n = 1; n <= 23; n++) ids.push(await draft(`Post ${n}.`));
  await applyAction(db, { action: "publish", selection: { ids } }, by, now());
  expect(await page()).toContain("3 more posts wait.");
  await until(due - minute);
  expect((await letter()).match(/^## /gm)).toHaveLength(20);
  await until(due + 7 * day - minute);
  const letters = await look<{ content: string }>(db, "select content from broadcast_letters order by broadcast_row");
  const titles = letters.flatMap(({ content }) => [...content.matchAll(/^## \[(.+?)\]/gm)].map(([, title]) => title));
  expect([titles.length, new Set(titles).size]).toEqual([23, 23]);
  expect((await broadcasts()).map(({ subject }) => subject)).toEqual([
    expect.stringContaining("and 19 more posts"),
    expect.stringContaining("and 2 more posts"),
  ]);
});

test("the publish dialog says in which digest a post will be; the rule's tag decides", async () => {
  const { rule, draft, post, publish, manager, broadcasts, until, db } = await openWeek({ ...monday, tag: "" });
  await rule({ becomes: "none" });
  const id = await draft("Fog");
  const sheet = await (await manager.get(`/dashboard/posts/${id}/publish`)).text();
  expect(sheet).toContain("A rule puts it into the weekly digest that goes out at 23 Nov 2026, 07:00.");
  await publish(id);
  expect(await (await manager.get("/dashboard/posts")).text()).toContain("the weekly digest that goes out at 23 Nov");
  await post("Rain");
  await until(due);
  expect((await broadcasts()).length).toBe(1);
  expect(await look(db, "select becomes, state from post_mailings")).toEqual([
    { becomes: "digest", state: "done" },
    { becomes: "digest", state: "done" },
  ]);
});

test("a day, an hour and a zone that do not exist are refused", async () => {
  const { rule } = await openStory();
  for (const wrong of [{ weekday: "8" }, { time: "24:00" }, { time: "" }, { zone: "Europe/Atlantis" }])
    expect((await rule({ ...monday, ...wrong })).status).toBe(422);
  expect((await rule({ ...monday, zone: "" })).status).toBe(303);
});

test("a digest shows titles and excerpts exactly as they are, whatever marks they have", () => {
  const marks = "1. *A* _b_ {name} <Card/> [x](y) `q` ![p](u) & &amp; | ~~s~~ \\ $ # end";
  const { subject, preheader, content } = digestOf(
    [{ title: marks, excerpt: `- ${marks}\n\n# more`, slug: "a b)c" }],
    "https://blog.example/p/{slug}",
    translator("en"),
  );
  const { pieces, problems } = parseMdx(content);
  expect([pieces, problems]).toEqual([[], []]);
  const html = Bun.markdown.html(content);
  const shown = new HTMLRewriter();
  let text = "";
  shown.on("*", { text: (chunk) => void (text += chunk.text) });
  shown.transform(html);
  expect(Bun.markdown.html(content)).toContain('href="https://blog.example/p/a%20b%29c"');
  expect(html.match(/<(h2|p|a|em|ul|ol|img|code|del)\b/g)).toEqual(["<h2", "<a", "<p"]);
  expect(text).toContain("1. *A* _b_ {name}");
  expect([subject, preheader]).toEqual([marks, `- ${marks} # more`]);
});
