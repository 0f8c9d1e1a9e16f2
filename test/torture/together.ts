/**
 * `npm run torture together -- [posts]` (E-F11): posts that go out with a newsletter, published, scheduled, moved,
 * published early and unscheduled over the wire, in a process that is killed again and again while it sends them.
 * Neither post nor newsletter may be without the other after any kill.
 */
import { openDb } from "../../db/open";
import * as postEdits from "../../db/posts/edit";
import { applyAction } from "../../db/posts/bulk";
import { Sender } from "../../src/broadcasts/sender";
import { addPeople, writeShort } from "../support/broadcasts/broadcasts";
import { conclude, exactly } from "../support/figures";
import { look } from "../support/look";
import { testService } from "../support/service";
import { inFolder, letSend } from "./broadcast";

const [minute, day] = [60_000, 86_400_000];
const maxIdleLives = 60; // a process that publishes nothing in so many lives, each longer, never will
const blank = { slug: "", excerpt: "Rain", coverImage: "", author: "", published: false, tags: [], publishedAt: null };

/** A newsletter without its post, a post without its newsletter, or two that go out at different times. */
const alone = `select count(*) n from posts left join broadcasts on post_id = posts.id
  and kind = 'post' and broadcasts.deleted_at is null
  where posts.published <> (state is not null and state <> 'draft')
    or state = 'scheduled' and (not with_post or scheduled_at not in (published_at, published_at + ${minute}))
    or state is null and published_at is not null`;
const count = async (path: string, query: string) => {
  const db = await openDb(path);
  const [row] = await look<{ n: number }>(db, query);
  await db.close();
  return row?.n ?? 0;
};

/** Until so many posts are public, or were. Figures, not opinions. */
export async function tortureTogether({ posts, lifeMs }: { posts: number; lifeMs: number }) {
  const database = inFolder();
  const { db } = await testService({}, database.where);
  await addPeople(db, 3);
  await db.close();
  let [kills, apart, idle, published] = [0, 0, 0, 0];
  for (; published < posts; kills++) {
    if (idle > maxIdleLives) throw new Error("Nothing is published");
    // On a slow machine a life may be too short for anything
    const ms = lifeMs * (0.2 + 1.6 * Math.random()) * (1 + idle);
    await letSend(database, { life: `${kills}` }, ms, import.meta.path);
    apart += await count(database.where, alone);
    const now = await count(database.where, "select count(*) n from posts where published");
    idle = now > published ? 0 : idle + 1;
    published = now;
  }
  const sent = await count(database.where, "select count(*) n from broadcasts where state = 'sent'");
  await database.remove();
  return { kills, apart, sent };
}

/** Publishes until it is killed, and sends. Each life is two minutes after the one before, so that letters start. */
async function publish(path: string, life: number): Promise<void> {
  const service = await testService({}, path);
  const { db, deps, clock } = service;
  clock.time += life * 2 * minute;
  const manager = await service.signIn({ email: `m${life}@example.com` });
  const by = { actor: "torture" };
  new Sender(deps, { write: writeShort, isOnlySender: true, everyMs: 20 }).start();
  console.log("It works");
  const later = () => {
    const [date = "", time = ""] = new Date(clock.time + Math.ceil(20 * Math.random()) * day).toISOString().split("T");
    return { when: "at", day: date, time: time.slice(0, 5) };
  };
  const letter = { send: "yes", subject: "On rain", preheader: "", fine: ["simulated", "postal-address", "test"] };
  for (let n = 0; ; n++) {
    const created = await postEdits.create(db, { ...blank, title: "Rain", content: "Wet." }, by, deps.now());
    if (created.outcome !== "saved") throw new Error(created.outcome);
    const { id } = created.post;
    const answer = async (fields: object) => {
      const version = String((await postEdits.byId(db, id))?.version);
      const { status } = await manager.submit(`/dashboard/posts/${id}/publish`, { version, zone: "UTC", ...fields });
      if (status !== 303) throw new Error(`The sheet answers ${status}`);
    };
    await answer({ ...letter, ...(n % 2 ? later() : { when: "now" }) });
    if (n % 2 === 0) continue;
    await answer(later());
    if (n % 4 === 1) await answer({ when: "now" });
    else await applyAction(db, { action: "unpublish", selection: { ids: [id] } }, by, deps.now());
  }
}

if (import.meta.main) {
  const [first = "", path = "", env = "{}"] = Bun.argv.slice(2);
  if (first === "sender") await publish(path, Number(JSON.parse(env).life));
  else {
    const posts = Number(first || 1_000);
    const { kills, apart, sent } = await tortureTogether({ posts, lifeMs: 700 });
    console.log({ posts, kills, apart, sent });
    conclude([exactly("E-F11", `post and newsletter apart, of ${posts} posts in ${kills} kills`, 0, apart)]);
  }
}
