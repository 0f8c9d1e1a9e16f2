/**
 * Uploads a file of any size. When started again, it resumes where it stopped:
 *
 *   POSTROOM_KEY=site_live_… npx bun resume-upload.ts film.mp4 https://site.example videos/2026
 *
 * It needs only fetch and the file system. Progress is saved next to the file, in film.mp4.upload.
 */
import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";

type Status = { state: string; size: number; received: number; missing: number[] };
type Reservation = { _meta: { reservationId: string } };
type Progress = { idempotencyKey: string; announced: object; id?: string };
type Part = { part: number; size: number; url: string };

const concurrency = 4; // parts sent at the same time
const attempts = 9; // with exponential backoff: three minutes in total

const usage = (): never => {
  console.error("POSTROOM_KEY=<key> bun resume-upload.ts <file> [site] [folder]");
  process.exit(2);
};
const [path = usage(), site = "http://localhost:3000", folderPath = ""] = process.argv.slice(2);
const key = process.env.POSTROOM_KEY ?? usage();
const progressPath = `${path}.upload`;
const { size } = await stat(path);
const mimeType = "application/octet-stream";
const announced = { filename: basename(path), mimeType, size, folderPath, multipart: true };
const file = await openAsBlob(path); // only a handle: nothing is read yet

/** Returns the progress saved by an earlier run, unless it was for a different file. */
async function savedProgress(): Promise<Progress | undefined> {
  const previous: Progress | undefined = await readFile(progressPath, "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  return JSON.stringify(previous?.announced) === JSON.stringify(announced) ? previous : undefined;
}

/** Returns the ID of an earlier run's upload if it can still be resumed. */
async function resumableUpload(): Promise<string | undefined> {
  const id = (await savedProgress())?.id;
  const status = id && (await call<Status>("GET", `/uploads/${id}`).catch(unlessRejected));
  return status && !status.state.startsWith("abort") ? id : undefined;
}

/** Saves the idempotency key before using it: if the response is lost, the next run gets the same reservation. */
async function reserve(): Promise<string> {
  const idempotencyKey = (await savedProgress())?.idempotencyKey ?? crypto.randomUUID();
  const saveProgress = (progress: Progress) => writeFile(progressPath, JSON.stringify(progress));
  await saveProgress({ idempotencyKey, announced });
  const { _meta } = await call<Reservation>("POST", "/upload", announced, { "idempotency-key": idempotencyKey });
  await saveProgress({ idempotencyKey, announced, id: _meta.reservationId });
  return _meta.reservationId;
}

async function checkStatus(id: string): Promise<Status> {
  const status = await call<Status>("GET", `/uploads/${id}`);
  console.error(`${status.state}: ${status.received} of ${size} bytes`);
  if (status.state.startsWith("abort")) throw new Error("The upload was aborted. Start again.");
  return status;
}

/** Sends up to a hundred of the missing parts, a few at a time. */
async function sendMissing(id: string): Promise<void> {
  const { parts, partSize } = await call<{ parts: Part[]; partSize: number }>("POST", `/uploads/${id}/parts`, {});
  const worker = async () => {
    for (let next = parts.shift(); next; next = parts.shift()) await send(id, next, partSize);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Sends one part directly to the storage. The length is part of the URL's signature: any other length is rejected. */
const send = (id: string, { part, size, url }: Part, partSize: number) =>
  withRetries(async () => {
    const start = (part - 1) * partSize;
    const body = file.slice(start, start + size);
    const response = await fetch(url, { method: "PUT", body, headers: { "content-md5": await md5(body) } });
    if (response.ok) return;
    const { status } = response;
    const code = /<Code>(\w{1,64})<\/Code>/.exec(await response.text())?.[1];
    if (status !== 507 && !/Quota|StorageFull/.test(code ?? ""))
      throw new Error(`Part ${part} failed with status ${status}`);
    await call("POST", `/uploads/${id}/failed`, { status, code });
    await rm(progressPath, { force: true });
    throw new Rejected("That storage node is full. Start again to use another node, if one has enough space.");
  });

/** With it, storage keeps only the whole part: some servers would keep an interrupted one, too. */
async function md5(body: Blob): Promise<string> {
  const hash = createHash("md5");
  for await (const bytes of body.stream()) hash.update(bytes);
  return hash.digest("base64");
}

const call = <T>(method: string, path: string, body?: object, more: Record<string, string> = {}) =>
  withRetries(async () => {
    const headers = { ...more, "x-api-key": key, ...(body && { "content-type": "application/json" }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${site}/api/v1/storage${path}`, init);
    const { data, error } = (await response.json()) as { data: T; error: { message: string } | null };
    if (!error) return data;
    const isTemporary = response.status === 429 || response.status >= 500;
    throw isTemporary ? new Error(error.message) : new Rejected(error.message);
  });

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Rejected || tries === attempts) throw error;
      await new Promise((wake) => setTimeout(wake, 350 * 2 ** tries));
    }
}

/** The service rejected the request; repeating it would not help. */
class Rejected extends Error {}

function unlessRejected(error: unknown): undefined {
  if (!(error instanceof Rejected)) throw error;
}

const id = (await resumableUpload()) ?? (await reserve());
for (let status = await checkStatus(id); status.state !== "completed"; status = await checkStatus(id)) {
  if (status.missing.length) await sendMissing(id);
  await call("POST", `/uploads/${id}/complete`).catch(unlessRejected); // if rejected, the next status lists what is missing
}
await rm(progressPath, { force: true });
console.log(id);
