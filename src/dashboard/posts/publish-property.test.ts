import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { promote } from "../../../db/broadcasts/sending/promote";
import { timeToStopMs } from "../../../db/broadcasts/rules";
import { ofPost } from "../../../db/broadcasts/with-post";
import * as subscribers from "../../../db/newsletter/subscribers";
import { applyAction, type PostAction } from "../../../db/posts/bulk";
import * as postEdits from "../../../db/posts/edit";
import { isPublished } from "../../../db/posts/rules";
import { testService } from "../../../test/support/service";
import { testTimeoutMs } from "../../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const hour = 3_600_000;
const blank = { slug: "", excerpt: "", coverImage: "", author: "", tags: [], published: false, publishedAt: null };
const accepted = ["simulated", "postal-address", "test"];

/** What a manager, or time, does with a post. Hours are from now. */
const step = fc.oneof(
  fc.record({ do: fc.constant("both" as const), hours: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ do: fc.constant("date" as const), hours: fc.integer({ min: -3, max: 5 }) }),
  fc.record({ do: fc.constant("edit" as const), hours: fc.integer({ min: -3, max: 5 }) }),
  fc.record({
    do: fc.constantFrom<PostAction>("publish", "unpublish", "trash", "restore"),
    hours: fc.constant(0),
  }),
  fc.record({ do: fc.constant("wait" as const), hours: fc.integer({ min: 0, max: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A post, and what is done to it over the wire. */
async function openPair() {
  const service = await testService();
  const { db, now, clock } = service;
  clock.time = Date.parse("2026-11-24T12:00:00Z");
  const manager = await service.signIn();
  const by = { actor: manager.manager.email };
  await subscribers.subscribe(db, { email: "p@example.com" }, { via: "form" }, now());
  const created = await postEdits.create(db, { ...blank, title: "Rain", content: "Wet." }, by, now());
  if (created.outcome !== "saved") throw new Error(created.outcome);
  const { id } = created.post;
  const stored = async () => {
    const post = await postEdits.byId(db, id);
    if (!post) throw new Error("The post is gone");
    return post;
  };
  async function take({ do: action, hours }: Step): Promise<void> {
    const at = new Date(clock.time + hours * hour);
    const { version, title, content } = await stored();
    const [day = "", time = ""] = at.toISOString().split(/[TZ]/);
    const sheet = { version: String(version), zone: "UTC", when: hours ? "at" : "now", day, time: time.slice(0, 5) };
    const newsletter = { send: "yes", subject: "Rain", fine: accepted };
    if (action === "both" || action === "date") {
      const answer = { ...sheet, ...(action === "both" && newsletter) };
      await manager.submit(`/dashboard/posts/${id}/publish`, answer as never);
    } else if (action === "edit") {
      const fields = { title, content, publishedAt: `${day}T${time.slice(0, 5)}`, zone: "UTC" };
      await manager.submit(`/dashboard/posts/${id}`, { version: String(version), ...fields });
    } else if (action === "wait") clock.time += hours * hour + timeToStopMs;
    else await applyAction(db, { action, selection: { ids: [id] } }, by, now());
  }
  return { db, clock, now, stored, take, newsletters: () => ofPost(db, id) };
}

test("whatever is done to a post, its newsletter neither goes out without it nor waits for another time", async () => {
  const seen = { started: 0, waiting: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const { db, now, stored, take, newsletters } = await openPair();
      const begun = new Set<string>();
      for (const each of [{ do: "both", hours: 2 } as const, ...steps]) {
        await take(each);
        await promote(db, undefined, now());
        const post = await stored();
        for (const { id, state, withPost, scheduledAt, startedAt } of await newsletters()) {
          if (!withPost) continue;
          expect(state).not.toBe("paused");
          if (state === "scheduled") {
            seen.waiting++;
            const isAhead = Number(post.publishedAt) > now().getTime();
            expect([post.published, post.deletedAt]).toEqual([true, null]);
            if (isAhead) expect(scheduledAt).toEqual(post.publishedAt);
            else expect(scheduledAt?.getTime()).toBeLessThanOrEqual(now().getTime() + timeToStopMs);
          }
          if (!startedAt || begun.has(id)) continue;
          begun.add(id);
          seen.started++;
          expect(isPublished(post, now())).toBe(true);
        }
      }
    }),
    { numRuns: 20 },
  );
  expect(seen.started * seen.waiting).toBeGreaterThan(0); // both were tried
});
