import { connect, type Connection, isPostroomError, type Platform, sleep, urlOf } from "./request";
import type { Answer, CallOptions, ClientOptions, OperationData, OperationId } from "./request";
import type { OperationInput, Visitor, WriteOptions } from "./request";
import type { components } from "./schema";
import { upload, type Upload, type Uploadable, type UploadOptions } from "./upload";
import { verifyWebhook, WebhookError } from "./webhook";

export { isPostroomError, verifyWebhook, WebhookError };
export type { components, operations, paths } from "./schema";
export type { Answer, Cache, CallOptions, ClientOptions, Entry, ErrorCode, OperationData } from "./request";
export type {
  OperationId,
  OperationInput,
  PostroomError,
  ResponseEvent,
  Scope,
  Visitor,
  WriteOptions,
} from "./request";
export type { Upload, Uploadable, UploadOptions, UploadState } from "./upload";
export type { WebhookEvent } from "./webhook";

type Schemas = components["schemas"];
export type Post = Schemas["Post"];
export type FullPost = Schemas["FullPost"];
export type Project = Schemas["Project"];
export type Settings = Schemas["Settings"];
export type Broadcast = Schemas["Broadcast"];
export type FullBroadcast = Schemas["FullBroadcast"];
export type Subscriber = Schemas["Subscriber"];
export type SubscriberInput = Schemas["SubscriberInput"];
export type Subscription = Schemas["Subscription"];
export type SubscribeInput = Schemas["SubscribeInput"];
export type ContactInput = Schemas["ContactInput"];
export type Receipt = Schemas["Receipt"];
export type Health = Schemas["Health"];
export type StoredFile = Schemas["File"];
export type Folder = Schemas["Folder"];
export type UploadStatus = Schemas["UploadStatus"];
export type OpenUpload = Schemas["OpenUpload"];

/** What needs no key. */
export interface PublicClient {
  readonly newsletter: PublicNewsletter;
  readonly contact: { send(message: ContactInput, options?: WriteOptions): Promise<Receipt> };
  readonly posts: PublicPosts;
  /** Where to link a project, so that its clicks are counted. */
  readonly projects: { visitUrl(slug: string): string };
  /** `ready` says what is wrong, too: compare its `status` with "ready". */
  readonly health: { live(options?: CallOptions): Promise<Health>; ready(options?: CallOptions): Promise<Health> };
  /** XML. */
  readonly feeds: {
    rss(options?: CallOptions): Promise<string>;
    atom(options?: CallOptions): Promise<string>;
    sitemap(options?: CallOptions): Promise<string>;
    newsletter(options?: CallOptions): Promise<string>;
  };
  /**
   * The same client, speaking for this visitor: views, limits and duplicates are theirs, if the key has the scope
   * `visitors`. Shares cache and settings. `headers` are those of the visitor’s own request.
   */
  for(visitor: Visitor | { headers: Headers; address: string }): this;
  /** Any operation of the document, typed by its operationId, for what has no method. Redirects are not followed. */
  call<Id extends OperationId>(
    id: Id,
    input?: OperationInput<Id>,
    options?: WriteOptions,
  ): Promise<Answer<OperationData<Id>>>;
}
export interface PublicNewsletter {
  subscribe(input: SubscribeInput, options?: WriteOptions): Promise<Subscription>;
}
export interface PublicPosts {
  /** Follows an old slug to the new one once. `null` if there is none, so that a page can answer 404. */
  get(slug: string, options?: CallOptions & { preview?: string }): Promise<FullPost | null>;
}

/** With a key. */
export interface Client extends PublicClient {
  readonly posts: PublicPosts & List<Post, { q?: string; tag?: string }>;
  readonly projects: PublicClient["projects"] & List<Project, { featured?: boolean }> & Find<Project>;
  readonly settings: { get(options?: CallOptions): Promise<Settings> };
  readonly newsletter: PublicNewsletter & {
    readonly broadcasts: List<Broadcast> & Find<FullBroadcast>;
    readonly subscribers: Subscribers;
  };
  readonly files: List<StoredFile, { folderPath?: string }> &
    Find<StoredFile> & {
      /** The folders directly inside this one. */
      folders(folderPath?: string, options?: CallOptions): Promise<Folder[]>;
      /** Renames, moves or describes it, or changes its metadata, of which null removes an entry. What is left out stays. */
      update(id: string, changes: Schemas["FileChanges"], options?: CallOptions): Promise<StoredFile>;
      /**
       * A signed URL of the storage for which no key is needed, valid for one hour or `expiresIn` seconds. `null` if there
       * is no such file.
       */
      link(id: string, options?: CallOptions & Schemas["FileLinkOptions"]): Promise<Schemas["FileLink"] | null>;
      /** To the trash. A manager can restore it until `purgeAt`. */
      delete(id: string, options?: CallOptions): Promise<Schemas["TrashedFile"]>;
    };
  readonly uploads: List<OpenUpload> &
    Find<UploadStatus> & {
      abort(id: string, options?: CallOptions): Promise<UploadStatus>;
      /** The calls below `upload()`, for those who move the bytes themselves. */
      create(input: Schemas["UploadInput"], options?: WriteOptions): Promise<Schemas["UploadReservation"]>;
      partUrls(
        id: string,
        parts?: number[] | { from: number; to: number },
        options?: CallOptions,
      ): Promise<Schemas["PartUrls"]>;
      renewUrl(id: string, options?: CallOptions): Promise<Schemas["UploadReservation"]>;
      complete(id: string, options?: CallOptions): Promise<UploadStatus>;
      reportFailure(id: string, failure: Schemas["StorageFailure"], options?: CallOptions): Promise<UploadStatus>;
    };
  /** One PUT up to 64 MiB, else parts, four at a time. Awaitable; pausable before it is done. */
  upload(file: Uploadable, options?: UploadOptions): Upload;
}

/** What the service counts only if it is asked to, with `count`, is null otherwise. */
export type Subscribers = List<Subscriber, SubscriberQuery, number | null> &
  Find<Subscriber> & {
    /** Adds someone, or what is new about them. `result` says which, and `ignored` what was left out. */
    create(input: SubscriberInput, options?: WriteOptions): Promise<Schemas["SubscriberResult"]>;
    /** Up to 1,000, each for itself: the results are in the order of these. */
    createMany(subscribers: SubscriberInput[], options?: WriteOptions): Promise<Schemas["BatchEntry"][]>;
    /** What is left out stays, and null removes. */
    update(
      id: string,
      changes: Schemas["SubscriberPatch"],
      options?: CallOptions,
    ): Promise<Schemas["ChangedSubscriber"]>;
    /** For good, and no email is ever sent there again unless the person asks for it. */
    erase(id: string, options?: CallOptions): Promise<Schemas["ErasedSubscriber"]>;
  };
type SubscriberQuery = Omit<NonNullable<OperationInput<"listSubscribers">["query"]>, "limit" | "cursor">;

export interface Find<Item> {
  /** `null` if there is none. */
  get(slugOrId: string, options?: CallOptions): Promise<Item | null>;
}
export interface List<Item, Query extends object = object, Total = number> {
  list(query?: Query & { limit?: number; cursor?: string }, options?: CallOptions): Promise<Page<Item, Total>>;
  /** Every item, page after page. `limit` is the size of a page (default 100); `break` stops asking. */
  all(query?: Query & { limit?: number }, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}
/** `total` counts the items of all pages, and `next` is the cursor of the next one. */
export interface Page<Item, Total = number> {
  items: Item[];
  count: number;
  total: Total;
  next: string | null;
  etag: string | null;
}

/** A client of the service at `baseUrl`. */
export function createClient(options: ClientOptions & { key: string }): Client;
export function createClient(options: ClientOptions): PublicClient;
export function createClient(options: ClientOptions): PublicClient {
  return clientOn(options, { sleep, random: Math.random, stallMs: 60_000, maxPutBytes: 64 * 2 ** 20 });
}

/** @internal The same on a platform of its own, for tests. */
export function clientOn(options: ClientOptions, platform: Platform): Client {
  const connection = connect(options, platform);
  const { cache } = connection;
  const { read, send, find } = methodsOn(connection);
  return {
    newsletter: {
      subscribe: send("subscribe"),
      broadcasts: { ...listOf<Broadcast>(connection, "listBroadcasts", "broadcasts"), get: find("getBroadcast") },
      subscribers: subscribersOf(connection),
    },
    contact: { send: send("sendContactMessage") },
    posts: { get: (slug, call) => findPost(connection, slug, call), ...listOf<Post>(connection, "listPosts", "posts") },
    projects: {
      visitUrl: (slug) => urlOf(options, "visitProject", { path: { slug } }),
      ...listOf<Project>(connection, "listProjects", "projects"),
      get: find("getProject"),
    },
    settings: { get: read("getSettings") },
    health: { live: read("getLiveness"), ready: read("getReadiness") },
    feeds: {
      rss: read("getRssFeed"),
      atom: read("getAtomFeed"),
      sitemap: read("getSitemap"),
      newsletter: read("getArchiveFeed"),
    },
    files: filesOf(connection),
    uploads: uploadsOf(connection),
    upload: (file, more) => upload(connection, file, more),
    for: (visitor) => clientOn({ ...options, ...(cache && { cache }), visitor: visitorFrom(visitor) }, platform),
    call: (id, input = {}, call) => connection.answer(id, input, call),
  };
}

function visitorFrom(visitor: Visitor | { headers: Headers; address: string }): Visitor {
  if (!("headers" in visitor)) return visitor;
  const { address, headers } = visitor;
  return {
    address,
    agent: headers.get("user-agent"),
    referrer: headers.get("referer"),
    purpose: headers.get("sec-purpose"),
  };
}

/** Methods that are one operation, by what they take. Which data they resolve with, the type of the client says. */
function methodsOn({ data, find }: Connection) {
  const at = (name: string) => ({ path: { slug: name, id: name } }); // a path has one of the two
  return {
    read:
      (id: OperationId) =>
      <Data>(call?: CallOptions) =>
        data<Data>(id, {}, call),
    send:
      (id: OperationId) =>
      <Data>(body: unknown, call?: WriteOptions) =>
        data<Data>(id, { body }, call),
    find:
      (id: OperationId) =>
      <Data>(name: string, call?: CallOptions) =>
        find<Data>(id, at(name), call),
    run:
      (id: OperationId) =>
      <Data>(name: string, call?: CallOptions) =>
        data<Data>(id, at(name), call),
    change:
      (id: OperationId) =>
      <Data>(name: string, body: unknown, call?: CallOptions) =>
        data<Data>(id, { ...at(name), body }, call),
  };
}

/** Pages of what an operation lists under this name. */
function listOf<Item>({ answer }: Connection, id: OperationId, name: string) {
  async function list(query: { limit?: number; cursor?: string } = {}, call?: CallOptions): Promise<Page<Item>> {
    const { data, headers, etag } = await answer<{ count: number; [list: string]: Item[] | number }>(
      id,
      { query },
      call,
    );
    const items = data[name];
    return {
      items: Array.isArray(items) ? items : [],
      count: data.count,
      total: Number(headers.get("x-total-count") ?? data.count),
      next: headers.get("postroom-next-cursor"),
      etag,
    };
  }
  async function* all(query: { limit?: number } = {}, call?: CallOptions) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page<Item> = await list({ limit: 100, ...query, ...(cursor && { cursor }) }, call);
      yield* page.items;
      cursor = page.next;
    }
  }
  return { list, all };
}

async function findPost(
  { find }: Connection,
  slug: string,
  { preview, ...call }: CallOptions & { preview?: string } = {},
): Promise<FullPost | null> {
  type Read = FullPost | Schemas["Moved"] | null;
  const read = (name: string): Promise<Read> => find("getPost", { path: { slug: name }, query: { preview } }, call);
  let post = await read(slug);
  if (post && !("content" in post)) post = await read(post.slug);
  return post && "content" in post ? post : null;
}

function subscribersOf(connection: Connection): Subscribers {
  const { data } = connection;
  const { find, send, change, run } = methodsOn(connection);
  const { list, all } = listOf<Subscriber>(connection, "listSubscribers", "subscribers");
  return {
    async list(query, call) {
      const page = await list(query, call);
      return query?.count ? page : { ...page, total: null };
    },
    all,
    get: find("getSubscriber"),
    create: send("createSubscriber"),
    async createMany(subscribers, call) {
      return (await data<Schemas["BatchResult"]>("createSubscribers", { body: { subscribers } }, call)).results;
    },
    update: change("updateSubscriber"),
    erase: run("eraseSubscriber"),
  };
}

function filesOf(connection: Connection): Client["files"] {
  const { data } = connection;
  const methods = methodsOn(connection);
  return {
    ...listOf<StoredFile>(connection, "listFiles", "files"),
    get: methods.find("getFile"),
    async folders(folderPath, call) {
      const page = await data<Schemas["FileList"]>("listFiles", { query: { folderPath, limit: 1 } }, call);
      return page.folders;
    },
    update: methods.change("updateFile"),
    link: (id, { expiresIn, download, ...call } = {}) =>
      connection.find("createFileLink", { path: { id }, body: { expiresIn, download } }, call),
    delete: methods.run("deleteFile"),
  };
}

function uploadsOf(connection: Connection): Client["uploads"] {
  const { find, send, change, run } = methodsOn(connection);
  const partUrls = change("createPartUrls");
  return {
    ...listOf<OpenUpload>(connection, "listUploads", "uploads"),
    get: find("getUpload"),
    abort: run("abortUpload"),
    create: send("createUpload"),
    partUrls: (id, parts, call) => partUrls(id, Array.isArray(parts) ? { numbers: parts } : (parts ?? {}), call),
    renewUrl: run("renewUploadUrl"),
    complete: run("completeUpload"),
    reportFailure: change("reportUploadFailure"),
  };
}
