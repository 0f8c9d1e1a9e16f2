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
export type Settings = Schemas["SettingsAnswer"];
export type Broadcast = Schemas["Broadcast"];
export type FullBroadcast = Schemas["FullBroadcast"];
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
  readonly newsletter: PublicNewsletter & { readonly broadcasts: List<Broadcast> & Find<FullBroadcast> };
  readonly files: List<StoredFile, { folderPath?: string }> &
    Find<StoredFile> & {
      /** The folders directly inside this one. */
      folders(folderPath?: string, options?: CallOptions): Promise<Folder[]>;
      /** Renames or moves it, or changes its metadata, of which null removes an entry. What is left out stays. */
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
      renewUrl(id: string, options?: CallOptions): Promise<Schemas["FreshUrl"]>;
      complete(id: string, options?: CallOptions): Promise<UploadStatus>;
      reportFailure(id: string, failure: Schemas["StorageFailure"], options?: CallOptions): Promise<UploadStatus>;
    };
  /** One PUT up to 64 MiB, else parts, four at a time. Awaitable; pausable before it is done. */
  upload(file: Uploadable, options?: UploadOptions): Upload;
}

export interface Find<Item> {
  /** `null` if there is none. */
  get(slugOrId: string, options?: CallOptions): Promise<Item | null>;
}
export interface List<Item, Query extends object = object> {
  list(query?: Query & { limit?: number; cursor?: string }, options?: CallOptions): Promise<Page<Item>>;
  /** Every item, page after page. `limit` is the size of a page (default 100); `break` stops asking. */
  all(query?: Query & { limit?: number }, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}
/** `total` counts the items of all pages, and `next` is the cursor of the next one. */
export interface Page<Item> {
  items: Item[];
  count: number;
  total: number;
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
  const { data, options: settings, cache } = connection;
  const text = (id: OperationId) => (call?: CallOptions) => data<string>(id, {}, call);
  const health = (id: OperationId) => (call?: CallOptions) => data<Health>(id, {}, call);
  return {
    newsletter: {
      subscribe: (body, call) => data("subscribe", { body }, call),
      broadcasts: {
        ...listOf<Broadcast>(connection, "listBroadcasts", "broadcasts"),
        ...bySlug(connection, "getBroadcast"),
      },
    },
    contact: { send: (body, call) => data("sendContactMessage", { body }, call) },
    posts: { get: (slug, call) => findPost(connection, slug, call), ...listOf<Post>(connection, "listPosts", "posts") },
    projects: {
      visitUrl: (slug) => urlOf(options, "visitProject", { path: { slug } }),
      ...listOf<Project>(connection, "listProjects", "projects"),
      ...bySlug(connection, "getProject"),
    },
    settings: { get: (call) => data("getSettings", {}, call) },
    health: { live: health("getLiveness"), ready: health("getReadiness") },
    feeds: {
      rss: text("getRssFeed"),
      atom: text("getAtomFeed"),
      sitemap: text("getSitemap"),
      newsletter: text("getArchiveFeed"),
    },
    files: filesOf(connection),
    uploads: uploadsOf(connection),
    upload: (file, more) => upload(connection, file, more),
    for: (visitor) => clientOn({ ...settings, ...(cache && { cache }), visitor: visitorFrom(visitor) }, platform),
    call: (id, input = {}, call) => connection.answer(id, input, call),
  };
}

function visitorFrom(visitor: Visitor | { headers: Headers; address: string }): Visitor {
  if (!("headers" in visitor)) return visitor;
  const { address, headers } = visitor;
  return { address, agent: headers.get("user-agent"), purpose: headers.get("sec-purpose") };
}

const bySlug = <Item>({ find }: Connection, id: OperationId): Find<Item> => ({
  get: (slug, call) => find<Item>(id, { path: { slug } }, call),
});

/** Pages of what an operation lists under this name. */
function listOf<Item>({ answer }: Connection, id: OperationId, name: string) {
  async function list(query: { limit?: number; cursor?: string } = {}, call?: CallOptions): Promise<Page<Item>> {
    const { data, headers, etag } = await answer<{ count: number; [list: string]: Item[] | number }>(
      id,
      { query },
      call,
    );
    const items = data[name];
    const link = /<([^>]*)>; *rel="next"/.exec(headers.get("link") ?? "")?.[1];
    const next = headers.get("postroom-next-cursor") ?? (link && new URL(link).searchParams.get("cursor"));
    return {
      items: Array.isArray(items) ? items : [],
      count: data.count,
      total: Number(headers.get("x-total-count") ?? data.count),
      next: next || null,
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
  const query = { preview };
  const post = await find<FullPost | Schemas["Moved"]>("getPost", { path: { slug }, query }, call);
  if (!post || "content" in post) return post;
  const moved = await find<FullPost | Schemas["Moved"]>("getPost", { path: { slug: post.slug }, query }, call);
  return moved && "content" in moved ? moved : null;
}

function filesOf(connection: Connection): Client["files"] {
  const { data, find } = connection;
  return {
    ...listOf<StoredFile>(connection, "listFiles", "files"),
    get: (id, call) => find("getFile", { path: { id } }, call),
    async folders(folderPath, call) {
      const page = await data<Schemas["FileList"]>("listFiles", { query: { folderPath, limit: 1 } }, call);
      return page.folders;
    },
    update: (id, body, call) => data("updateFile", { path: { id }, body }, call),
    link: (id, { expiresIn, download, ...call } = {}) =>
      find("createFileLink", { path: { id }, body: { expiresIn, download } }, call),
    delete: (id, call) => data("deleteFile", { path: { id } }, call),
  };
}

function uploadsOf(connection: Connection): Client["uploads"] {
  const { data, find } = connection;
  return {
    ...listOf<OpenUpload>(connection, "listUploads", "uploads"),
    get: (id, call) => find("getUpload", { path: { id } }, call),
    abort: (id, call) => data("abortUpload", { path: { id } }, call),
    create: (body, call) => data("createUpload", { body }, call),
    partUrls: (id, parts, call) =>
      data("createPartUrls", { path: { id }, body: Array.isArray(parts) ? { numbers: parts } : (parts ?? {}) }, call),
    renewUrl: (id, call) => data("renewUploadUrl", { path: { id } }, call),
    complete: (id, call) => data("completeUpload", { path: { id } }, call),
    reportFailure: (id, body, call) => data("reportUploadFailure", { path: { id }, body }, call),
  };
}
