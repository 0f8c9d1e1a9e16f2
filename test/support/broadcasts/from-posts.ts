import { ofPost } from "../../../db/broadcasts/with-post";
import { announceDue } from "../../../db/posts/announce";
import { applyAction } from "../../../db/posts/bulk";
import * as postEdits from "../../../db/posts/edit";
import { Sender } from "../../../src/broadcasts/sender";
import { look } from "../look";
import { testService } from "../service";
import { addPeople, writeShort } from "./broadcasts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const rulesPath = "/dashboard/broadcasts/from-posts";
const blank = { slug: "", excerpt: "Three sensors", coverImage: "", author: "", published: false };

/** A service with three subscribers, a manager, and a sender that looks when it is told to. */
export async function openStory(content = "Wet.") {
  const service = await testService();
  const { db, now, clock, deps } = service;
  const manager = await service.signIn();
  const by = { actor: manager.manager.email };
  await addPeople(db, 3);
  async function draft(title = "Rain", tags: string[] = []) {
    const fields = { ...blank, title, tags, content, publishedAt: null };
    const created = await postEdits.create(db, fields, by, now());
    if (created.outcome !== "saved") throw new Error(created.outcome);
    return created.post.id;
  }
  /** Answers the publish dialog. */
  async function publish(id: string, fields: Record<string, string> = { when: "now" }) {
    const version = String((await postEdits.byId(db, id))?.version);
    return manager.submit(`/dashboard/posts/${id}/publish`, { version, zone: "UTC", ...fields });
  }
  /** What a process does that begins here. */
  const work = () => new Sender(deps, { write: writeShort }).drain();
  async function later(ms: number) {
    clock.time += ms;
    await announceDue(db, now());
    await work();
  }
  return {
    ...{ ...service, manager, by, draft, publish, work, later },
    rule: (fields: Record<string, string>) => manager.submit(rulesPath, { tag: "", topic: "", ...fields }),
    unpublish: (id: string) => applyAction(db, { action: "unpublish", selection: { ids: [id] } }, by, now()),
    newsletters: async (id: string) => (await ofPost(db, id)).map(({ state }) => state),
    emails: async () => (await look(db, "select row from broadcast_recipients")).length,
  };
}
