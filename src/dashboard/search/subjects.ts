import { type Broadcast, byId as broadcastById } from "../../../db/broadcasts/broadcasts";
import * as broadcastList from "../../../db/broadcasts/list";
import * as messageList from "../../../db/contact/list";
import * as contact from "../../../db/contact/messages";
import type { FoundRows } from "../../../db/lib/rows";
import * as subscriberList from "../../../db/newsletter/list";
import { statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import * as postEdits from "../../../db/posts/edit";
import * as postList from "../../../db/posts/list";
import { statusOf as statusOfPost } from "../../../db/posts/rules";
import * as projectEdits from "../../../db/projects/projects";
import * as projectList from "../../../db/projects/list";
import * as fileList from "../../../db/storage/files-list";
import { findStored } from "../../../db/storage/files";
import type { Frame } from "../../../views/components/frame";
import { isWriter } from "../../../views/dashboard/broadcasts/broadcasts";
import { titleOf } from "../../../views/dashboard/broadcasts/state";
import { statusNames as postStatusNames } from "../../../views/dashboard/posts/state";
import { statusNames as projectStatusNames } from "../../../views/dashboard/projects/row";
import type { Result, ResultGroup } from "../../../views/dashboard/search/results";
import { kindOf } from "../../../views/dashboard/storage/file-kind";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";

/** How one kind of thing is found: by the columns that its list searches. */
type Subject = {
  id: string;
  name: string;
  /** The path of each page is this, a slash, and the ID. */
  path: string;
  /** The list of all that match. */
  listOf: (q: string) => string;
  find: (deps: Deps, frame: Frame, q: string, limit: number) => Promise<FoundRows<Result>>;
  /** The one with this ID, unless it is deleted or in the trash. */
  one: (deps: Deps, frame: Frame, id: string) => Promise<Result | undefined>;
};

/** The URL of a list with these words in its search field. */
const listWith = (path: string) => (q: string) => `${path}?${new URLSearchParams({ q })}`;

/** Turns rows into results. */
const asResults = <Row>(
  { rows, total, isMore = false }: { rows: Row[]; total: number; isMore?: boolean },
  resultOf: (row: Row) => Result,
): FoundRows<Result> => ({ rows: rows.map(resultOf), total, isMore });

const subscriberResult = (subscriber: Subscriber) => {
  const { id, email, name } = subscriber;
  const status = statusOf(subscriber);
  return {
    icon: "users",
    title: email,
    sub: [name ?? "Subscriber", status !== "active" && status].filter(Boolean).join(", "),
    href: `${paths.newsletter}/${id}`,
  };
};

const people: Subject = {
  id: "people",
  name: "People",
  path: paths.newsletter,
  listOf: listWith(paths.newsletter),
  find: async ({ db }, _, q, limit) =>
    asResults(await subscriberList.list(db, { q }, "-joined", { page: 1, per: limit }), subscriberResult),
  one: async ({ db }, _, id) => {
    const person = await subscriberList.byId(db, id);
    return person && subscriberResult(person);
  },
};

const messageResult = ({ id, name, message }: contact.Message, q: string) => ({
  icon: "inbox",
  title: name,
  sub: excerptOf(message, q),
  href: `${paths.contact}/${id}`,
});

const messages: Subject = {
  id: "messages",
  name: "Messages",
  path: paths.contact,
  listOf: listWith(paths.contact),
  find: async ({ db }, _, q, limit) =>
    asResults(await messageList.find(db, q, limit), (message) => messageResult(message, q)),
  one: async ({ db }, _, id) => {
    const message = await contact.byId(db, id);
    return message && !message.deletedAt ? messageResult(message, "") : undefined;
  },
};

type ListedPost = Pick<postList.Row, "id" | "title" | "published" | "publishedAt">;

const postResult = (post: ListedPost, { now }: Frame) => ({
  icon: "file-text",
  title: post.title,
  sub: `Post, ${postStatusNames[statusOfPost(post, now)].toLowerCase()}`,
  href: `${paths.posts}/${post.id}`,
});

const posts: Subject = {
  id: "posts",
  name: "Posts",
  path: paths.posts,
  listOf: listWith(paths.posts),
  find: async ({ db }, frame, q, limit) => {
    const listed = await postList.list(db, { filter: { q }, sort: "-published" }, { page: 1, per: limit }, frame.now);
    return asResults(listed, (post) => postResult(post, frame));
  },
  one: async ({ db }, frame, id) => {
    const post = await postEdits.byId(db, id);
    return post && !post.deletedAt ? postResult(post, frame) : undefined;
  },
};

const projectResult = ({ id, title, status }: projectEdits.Project) => ({
  icon: "layers",
  title,
  sub: `Project, ${projectStatusNames[status].toLowerCase()}`,
  href: `${paths.projects}/${id}`,
});

const projects: Subject = {
  id: "projects",
  name: "Projects",
  path: paths.projects,
  listOf: listWith(paths.projects),
  find: async ({ db }, _, q, limit) =>
    asResults(await projectList.list(db, { q }, { page: 1, per: limit }), projectResult),
  one: async ({ db }, _, id) => {
    const project = await projectEdits.byId(db, id);
    return project && !project.deletedAt ? projectResult(project) : undefined;
  },
};

const fileResult = ({ id, filename, mimeType, folder }: fileList.FoundFile) => ({
  icon: kindOf(mimeType) === "image" ? "image" : "file",
  title: filename,
  sub: folder ? `File in ${folder}` : "File",
  href: paths.file(id),
});

const files: Subject = {
  id: "files",
  name: "Files",
  path: paths.file("").replace(/\/$/, ""),
  listOf: (q) => `${paths.storage}?${new URLSearchParams({ q, where: "everywhere" })}`,
  find: async ({ db }, _, q, limit) => asResults(await fileList.find(db, q, limit), fileResult),
  one: async ({ db }, _, id) => {
    const file = await findStored(db, id);
    return file && fileResult(file);
  },
};

const broadcastResult = (broadcast: Broadcast) => ({
  icon: "megaphone",
  title: titleOf(broadcast),
  sub: `Broadcast, ${broadcast.state}`,
  href: `${paths.broadcasts}/${broadcast.id}`,
});

const broadcasts: Subject = {
  id: "broadcasts",
  name: "Broadcasts",
  path: paths.broadcasts,
  listOf: listWith(paths.broadcasts),
  find: async ({ db }, frame, q, limit) => {
    const tab = isWriter(frame) ? "all" : "sent";
    return asResults(await broadcastList.list(db, { tab, q }, { page: 1, per: limit }), broadcastResult);
  },
  one: async ({ db }, frame, id) => {
    const broadcast = await broadcastById(db, id);
    const isSeen = broadcast && !broadcast.deletedAt && (broadcast.state !== "draft" || isWriter(frame));
    return isSeen ? broadcastResult(broadcast) : undefined;
  },
};

/** The kinds of things that this manager can find: those whose lists their role includes. */
export const subjectsFor = ({ may }: Frame): Subject[] =>
  [people, messages, posts, projects, files, broadcasts].filter(({ listOf }) => may(listOf("")));

/** The first matches of each kind. */
export const firstMatches = (deps: Deps, frame: Frame, q: string, limit: number): Promise<ResultGroup[]> =>
  Promise.all(
    subjectsFor(frame).map(async ({ id, name, find, listOf }) => ({
      id,
      name,
      href: listOf(q),
      ...(await find(deps, frame, q, limit)),
    })),
  );

const charactersBefore = 24;
const charactersAfter = 90;

/** Returns the part of a text around the words, on one line; its beginning if they are elsewhere. */
export function excerptOf(text: string, q: string): string {
  const at = q ? Math.max(0, text.toLowerCase().indexOf(q.toLowerCase())) : 0;
  const from = Math.max(0, at - charactersBefore);
  const part = text.slice(from, at + q.length + charactersAfter).toWellFormed();
  return `${from > 0 ? "…" : ""}${part.replace(/\s+/g, " ").trim()}${at + q.length + charactersAfter < text.length ? "…" : ""}`;
}
