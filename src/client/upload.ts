import { backoff, CallError, type Connection, isAbout, isPage, nullIf, textOf } from "./request";
import type { components } from "./schema";

type Schemas = components["schemas"];
type StoredFile = Schemas["File"];
type Bytes = Blob | Uint8Array | ReadableStream<Uint8Array>;

/** A Blob, a File, or what can be read in pieces. A piece is read again to be sent again, and once for its checksum. */
export interface Uploadable {
  size: number;
  name?: string;
  type?: string;
  slice(start: number, end: number): Bytes | Promise<Bytes>;
}

export interface UploadOptions {
  /** Default: the name of the file. */
  filename?: string;
  /** Default: the type of the file, or else application/octet-stream. */
  mimeType?: string;
  folderPath?: string;
  /** Names and values of your own, kept with the file. */
  metadata?: Record<string, string>;
  /** The state of an earlier upload of the same bytes, also from another process with the same key. */
  resume?: UploadState | string;
  /** Parts at the same time, 1 to 8. Default 4. */
  concurrency?: number;
  /** Sends the MD5 with each PUT, where the runtime has one to offer. Default true outside browsers. */
  checksum?: boolean;
  /** Aborts the upload, as `abort()` does. To continue in another process, pause it instead. */
  signal?: AbortSignal;
  onProgress?(progress: { sent: number; size: number; bytesPerSecond: number }): void;
  /** Called once after the reservation: keep it, and a crash costs only the parts in flight. */
  onState?(state: UploadState): void;
}

/** JSON. */
export interface UploadState {
  id: string;
  size: number;
  partSize: number | null;
  filename: string;
}

export interface Upload extends Promise<StoredFile> {
  readonly state: UploadState | null;
  readonly status: "running" | "paused" | "done" | "failed" | "aborted";
  /** Ends the requests in flight. What storage has listed stays; a single PUT starts over. */
  pause(): void;
  resume(): void;
  /** Frees the reserved space immediately. */
  abort(): Promise<void>;
}

const urlsAtOnce = 16;
const chunkBytes = 256 * 1024;
const maxStorageErrorBytes = 4_096;
const maxRounds = 3; // of sending what storage says is missing
const maxPolls = 110; // while storage assembles the file, or someone has 15 minutes to decide about it
const longestPollMs = 10_000;

/** Bytes of the file that are sent in one PUT. */
type Piece = { part: number; start: number; size: number };

/** Uploads a file in one PUT, or in parts if it is large. */
export function upload(connection: Connection, file: Uploadable, options: UploadOptions = {}): Upload {
  const run = new Run(connection, file, options);
  const done = run.toEnd();
  return {
    get state() {
      return run.state;
    },
    get status() {
      return run.status;
    },
    pause: () => run.pause(),
    resume: () => run.resume(),
    abort() {
      done.catch(() => {}); // whoever aborts need not wait for the rejection, too
      return run.abort(new DOMException("The upload was aborted.", "AbortError"));
    },
    then: done.then.bind(done),
    catch: done.catch.bind(done),
    finally: done.finally.bind(done),
    [Symbol.toStringTag]: "Upload",
  };
}

class Run {
  state: UploadState | null = null;
  status: Upload["status"] = "running";
  readonly #connection: Connection;
  readonly #file: Uploadable;
  readonly #options: UploadOptions;
  /** Ends what is in flight, when the upload is paused or aborted. */
  #stop = new AbortController();
  #continue = () => {};
  #whenRunning: Promise<void> = Promise.resolve();
  #reservation: Promise<Schemas["UploadReservation"]> | undefined;
  #reason: unknown;
  #sent = 0;

  constructor(connection: Connection, file: Uploadable, options: UploadOptions) {
    this.#connection = connection;
    this.#file = file;
    this.#options = options;
  }

  async toEnd(): Promise<StoredFile> {
    const { signal, resume } = this.#options;
    const abort = () => void this.abort(signal?.reason).catch(() => {});
    signal?.addEventListener("abort", abort);
    try {
      signal?.throwIfAborted();
      if (resume !== undefined) this.state = stateFrom(resume, this.#file.size);
      for (;;) {
        const { signal: stopped } = this.#stop;
        try {
          const file = await this.#once(stopped);
          if (this.status === "running") this.status = "done";
          return file;
        } catch (error) {
          if (!stopped.aborted) throw error;
        }
        await this.#whenRunning;
        if (this.#isAborted()) throw this.#reason;
      }
    } catch (error) {
      this.status = this.#isAborted() || signal?.aborted ? "aborted" : "failed";
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  pause(): void {
    if (this.status !== "running") return;
    this.status = "paused";
    this.#whenRunning = new Promise((resolve) => (this.#continue = resolve));
    this.#stop.abort();
  }

  resume(): void {
    if (this.status !== "paused") return;
    this.status = "running";
    this.#stop = new AbortController();
    this.#continue();
  }

  async abort(reason: unknown): Promise<void> {
    if (this.status !== "running" && this.status !== "paused") return;
    this.status = "aborted";
    this.#reason = reason;
    this.#stop.abort();
    this.#continue();
    await this.#reservation?.catch(() => {}); // it may be on its way
    if (this.state) await this.#call("abortUpload");
  }

  #isAborted(): boolean {
    return this.status === "aborted";
  }

  /** From where the upload stands to its end. */
  async #once(signal: AbortSignal): Promise<StoredFile> {
    const reserved = this.state ? undefined : await this.#reserve();
    signal.throwIfAborted();
    let status = reserved ? undefined : await this.#status(signal);
    for (let round = 1; ; round++) {
      await this.#sendMissing(signal, status, reserved?.uploadUrl);
      try {
        return await this.#finish(signal);
      } catch (error) {
        if (!isAbout(error, /^parts$/) || round === maxRounds) throw error;
        status = await this.#status(signal);
      }
    }
  }

  /** An operation on this upload. */
  #call<Data>(id: Parameters<Connection["data"]>[0], body?: object, signal?: AbortSignal): Promise<Data> {
    const path = { id: this.state?.id ?? "" };
    return this.#connection.data<Data>(id, { path, ...(body && { body }) }, signal ? { signal } : {});
  }

  /** Not ended by a pause: what is reserved must be known, to be continued or freed. */
  async #reserve(): Promise<Schemas["UploadReservation"]> {
    const { size, type } = this.#file;
    const { folderPath, metadata, filename = nameOf(this.#file) } = this.#options;
    const { mimeType = type || "application/octet-stream" } = this.#options;
    if (!filename) throw new TypeError("The file has no name: give a filename.");
    const about = { filename, mimeType, size, folderPath, metadata };
    const reserve = (multipart: boolean) =>
      this.#connection.data<Schemas["UploadReservation"]>("createUpload", { body: { ...about, multipart } });
    this.#reservation = reserve(size > this.#connection.maxPutBytes).catch((error: unknown) => {
      if (!isAbout(error, /^(multipart|contentMd5)$/)) throw error; // else it may be sent in parts
      return reserve(true);
    });
    const reserved = await this.#reservation;
    this.state = { id: reserved._meta.reservationId, size, partSize: reserved.partSize ?? null, filename };
    this.#options.onState?.(this.state);
    return reserved;
  }

  /** What storage has. @throws if the upload has ended without becoming a file */
  async #status(signal: AbortSignal): Promise<Schemas["UploadStatus"]> {
    const status = await this.#call<Schemas["UploadStatus"]>("getUpload", undefined, signal);
    if (/^abort/.test(status.state)) throw new CallError("CONFLICT", "The upload was aborted.", { status: 409 });
    return status;
  }

  /** @param status undefined after the reservation, when everything is missing */
  async #sendMissing(signal: AbortSignal, status: Schemas["UploadStatus"] | undefined, url: string | undefined) {
    const { size, partSize } = this.state ?? { size: 0, partSize: null };
    const began = performance.now();
    const before = status ? status.received : 0;
    this.#sent = before;
    const report = (bytes: number) => {
      this.#sent += bytes;
      const seconds = (performance.now() - began) / 1_000;
      const bytesPerSecond = seconds && Math.round((this.#sent - before) / seconds);
      this.#options.onProgress?.({ sent: this.#sent, size, bytesPerSecond });
    };
    if (status && /^complet/.test(status.state)) return;
    report(0);
    if (status ? status.mode === "put" : partSize === null) {
      const fresh = async () =>
        (await this.#call<Schemas["UploadReservation"]>("renewUploadUrl", undefined, signal)).uploadUrl;
      return this.#sendPiece({ part: 1, start: 0, size }, { url: status ? undefined : url, fresh, report, signal });
    }
    const length = status?.partSize ?? partSize ?? size;
    const all = () => Array.from({ length: Math.max(1, Math.ceil(size / length)) }, (_, i) => i + 1);
    await this.#sendParts(status?.missing ?? all(), length, { report, signal });
  }

  /** Several at a time. The first that fails ends the others. */
  async #sendParts(numbers: number[], length: number, { report, signal: stopped }: Pick<Sending, "report" | "signal">) {
    const failed = new AbortController();
    const signal = AbortSignal.any([stopped, failed.signal]);
    const urlsOf = async (some: number[]) =>
      (await this.#call<Schemas["PartUrls"]>("createPartUrls", { numbers: some }, signal)).parts;
    const queue = (async function* () {
      for (let at = 0; at < numbers.length; at += urlsAtOnce) yield* await urlsOf(numbers.slice(at, at + urlsAtOnce));
    })();
    const worker = async () => {
      for await (const { part, size, url } of queue) {
        const fresh = async () => (await urlsOf([part]))[0]?.url;
        await this.#sendPiece({ part, start: (part - 1) * length, size }, { url, fresh, report, signal });
      }
    };
    const { concurrency = 4 } = this.#options;
    const workers = Array.from({ length: Math.min(8, Math.max(1, concurrency)) }, () =>
      worker().catch((error: unknown) => failed.abort(error)),
    );
    await Promise.all(workers); // none goes on in the background
    failed.signal.throwIfAborted();
  }

  /** Each attempt after the first one has a fresh URL: the last one may have expired, or the bytes may have arrived. */
  async #sendPiece(piece: Piece, sending: Sending): Promise<void> {
    const { retries = 2 } = this.#connection.options;
    for (let attempt = 1; ; attempt++) {
      const url = attempt === 1 && sending.url ? sending.url : await sending.fresh().catch(nullIf("CONFLICT"));
      if (!url) return; // it has arrived, or the upload has ended: completing it says which
      let counted = 0;
      const report = (bytes: number) => {
        counted += bytes;
        sending.report(bytes);
      };
      try {
        return await this.#put(url, piece, { ...sending, report });
      } catch (error) {
        report(-counted);
        sending.signal.throwIfAborted();
        if (!(error instanceof CallError)) throw error;
        if (attempt > retries || !isTemporary(error))
          throw await this.#reported(Object.assign(error, { attempts: attempt }));
      }
      await this.#connection.sleep(backoff(this.#connection, attempt), sending.signal);
    }
  }

  /** Tells the service that storage refused the bytes, which aborts the upload. */
  async #reported(error: CallError): Promise<CallError> {
    const { status, code, details } = error;
    const failure = { status, code: details[0]?.message ?? null };
    if (code === "STORAGE_REFUSED") await this.#call("reportUploadFailure", failure).catch(() => {});
    return error;
  }

  async #put(url: string, { part, start, size }: Piece, { report, signal }: Sending): Promise<void> {
    const { options, stallMs } = this.#connection;
    const slice = async () => this.#file.slice(start, start + size);
    const md5 = (this.#options.checksum ?? !isPage()) ? await md5Of(await slice()) : undefined;
    const stalled = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), ms);
    };
    const source = bodyOf(await slice(), size, (bytes) => {
      wait(stallMs);
      report(bytes);
    });
    try {
      wait(source.isSeen ? stallMs : stallMs + size / 16); // at 16 bytes a millisecond
      const init = { method: "PUT", body: await source.read(), duplex: "half", redirect: "manual" } as const;
      const headers = {
        ...(source.isSeen && { "content-length": String(size) }),
        ...(md5 && { "content-md5": md5 }),
      };
      const ends = AbortSignal.any([signal, stalled.signal]);
      const response = await (options.fetch ?? fetch)(url, { ...init, headers, signal: ends });
      if (!response.ok) throw await refusal(response, part);
      await response.body?.cancel();
      if (!source.isSeen) report(size);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CallError) throw error;
      if (source.problem()) throw source.problem();
      if (stalled.signal.aborted) throw new CallError("TIMEOUT", "Storage took no byte for a minute.");
      throw new CallError("NETWORK", "Storage could not be reached.", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns the file once storage has put it together. */
  async #finish(signal: AbortSignal): Promise<StoredFile> {
    for (let poll = 0; ; poll++) {
      const status = poll
        ? await this.#status(signal)
        : await this.#call<Schemas["UploadStatus"]>("completeUpload", undefined, signal);
      if (status.state === "completed") return this.#call<StoredFile>("getFile", undefined, signal);
      if (poll === maxPolls)
        throw new CallError("TIMEOUT", "The file is not ready yet: storage or an endpoint is still working on it.");
      await this.#connection.sleep(Math.min(longestPollMs, 500 * 2 ** poll), signal);
    }
  }
}

interface Sending {
  /** For the first attempt. */
  url?: string | undefined;
  /** Returns another URL, or undefined if the bytes have arrived. */
  fresh: () => Promise<string | undefined>;
  report: (bytes: number) => void;
  signal: AbortSignal;
}

/** @throws TypeError if this is not the state of an upload of so many bytes */
function stateFrom(resume: UploadState | string, bytes: number): UploadState {
  const state: UploadState = typeof resume === "string" ? JSON.parse(resume) : resume;
  if (!state.id || state.size !== bytes) throw new TypeError("The state is that of another file.");
  return state;
}

/** The last name in its path: Bun’s files are called by theirs. */
const nameOf = ({ name }: Uploadable) => name?.split(/[\\/]/).pop();

/** Whether another attempt may help: an expired URL, damaged bytes, or a failure of the network or the storage. */
function isTemporary({ code, status, details }: CallError): boolean {
  if (code !== "STORAGE_REFUSED") return true;
  const reason = details[0]?.message ?? "";
  if (status === 507 || /Quota|StorageFull/.test(reason)) return false;
  return (
    status >= 500 || [403, 404, 408, 429].includes(status) || /^(BadDigest|XAmzContent|RequestTimeout)/.test(reason)
  );
}

/** What storage says in XML about a PUT that it does not accept. */
async function refusal({ status, body }: Response, part: number): Promise<CallError> {
  const [, code] = /<Code>(\w{1,64})<\/Code>/.exec(await textOf(body, maxStorageErrorBytes)) ?? [];
  const message = `Storage refused part ${part} with status ${status}${code ? ` (${code})` : ""}.`;
  return new CallError("STORAGE_REFUSED", message, { status, details: code ? [{ field: "code", message: code }] : [] });
}

/**
 * Base64, or undefined if the runtime cannot make one piece by piece. Every S3 server checks an MD5, while AWS refuses an
 * `x-amz-checksum-…` that was not signed with the URL.
 */
async function md5Of(bytes: Bytes): Promise<string | undefined> {
  const process: { getBuiltinModule?(name: string): Crypto } | undefined = Reflect.get(globalThis, "process");
  const hash = process?.getBuiltinModule?.("node:crypto")?.createHash("md5");
  if (!hash) return;
  for await (const chunk of chunksOf(bytes)) hash.update(chunk);
  return hash.digest("base64");
}
type Crypto = { createHash(name: string): { update(bytes: Uint8Array): void; digest(form: string): string } };

/** In chunks, so that progress is seen and no file is in memory as a whole. */
async function* chunksOf(bytes: Bytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (bytes instanceof Uint8Array)
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.slice(at, at + chunkBytes);
  else for await (const chunk of bytes instanceof Blob ? bytes.stream() : bytes) yield* chunksOf(chunk);
}

/** The body of a PUT. Storage wants to know its length before, which streams have not in Deno and in pages. */
function bodyOf(source: Bytes, size: number, count: (bytes: number) => void) {
  let problem: unknown;
  async function* counted() {
    let left = size;
    try {
      for await (const chunk of chunksOf(source)) {
        left -= chunk.length;
        if (left < 0) break;
        if (isSeen) count(chunk.length);
        yield chunk;
      }
      if (left) throw new TypeError("The file has another size than before.");
    } catch (error) {
      problem = error;
      throw error;
    }
  }
  const chunks = counted();
  const stream = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void chunks.return(),
    });
  /** Whether it is sent as a stream, so that progress is seen. */
  const isSeen = size > 0 && !isPage() && !("Deno" in globalThis);
  return {
    isSeen,
    async read(): Promise<Blob | ArrayBuffer | ReadableStream<Uint8Array<ArrayBuffer>>> {
      if (isPage() && source instanceof Blob) return source;
      if (!isSeen) return new Response(stream()).arrayBuffer(); // Deno sends blobs without a length, too
      const WithLength: WithLength | undefined = Reflect.get(globalThis, "FixedLengthStream"); // Workers’ own
      return WithLength ? stream().pipeThrough(new WithLength(size)) : stream();
    },
    /** Why the source did not have the bytes. */
    problem: () => problem,
  };
}
type WithLength = new (size: number) => ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;
