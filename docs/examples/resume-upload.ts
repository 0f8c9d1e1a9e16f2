/**
 * Uploads a file of any size, and goes on where it stopped when it is started again:
 *
 *   POSTROOM_KEY=site_live_… bun docs/examples/resume-upload.ts film.mp4 https://site.example videos/2026
 *
 * It needs fetch and the file system, nothing else. What there is to remember lies beside the file, in film.mp4.upload.
 */
import { openAsBlob } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";

type Status = { state: string; size: number; received: number; missing: number[] };
type Reservation = { _meta: { reservationId: string } };
type Memory = { idempotencyKey: string; announced: object; id?: string };
type Part = { part: number; size: number; url: string };

const lanes = 4; // parts on their way at the same time
const attempts = 9; // with longer and longer waits: three minutes in all

const usage = (): never => {
  console.error("POSTROOM_KEY=<key> bun resume-upload.ts <file> [site] [folder]");
  process.exit(2);
};
const [path = usage(), site = "http://localhost:3000", folderPath = ""] = process.argv.slice(2);
const key = process.env.POSTROOM_KEY ?? usage();
const memoryPath = `${path}.upload`;
const { size } = await stat(path);
const mimeType = "application/octet-stream";
const announced = { filename: basename(path), mimeType, size, folderPath, multipart: true };
const file = await openAsBlob(path); // a handle: nothing is read yet

/** What an earlier run wrote down, unless it was about another file. */
async function remembered(): Promise<Memory | undefined> {
  const before: Memory | undefined = await readFile(memoryPath, "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  return JSON.stringify(before?.announced) === JSON.stringify(announced) ? before : undefined;
}

/** The upload of an earlier run, if it can still go on. */
async function begun(): Promise<string | undefined> {
  const id = (await remembered())?.id;
  const status = id && (await call<Status>("GET", `/uploads/${id}`).catch(orRefused));
  return status && !status.state.startsWith("abort") ? id : undefined;
}

/** The key is written down before it is used: when the answer gets lost, asking again gets the same reservation. */
async function reserve(): Promise<string> {
  const idempotencyKey = (await remembered())?.idempotencyKey ?? crypto.randomUUID();
  const remember = (memory: Memory) => writeFile(memoryPath, JSON.stringify(memory));
  await remember({ idempotencyKey, announced });
  const { _meta } = await call<Reservation>("POST", "/upload", announced, { "idempotency-key": idempotencyKey });
  await remember({ idempotencyKey, announced, id: _meta.reservationId });
  return _meta.reservationId;
}

async function look(id: string): Promise<Status> {
  const status = await call<Status>("GET", `/uploads/${id}`);
  console.error(`${status.state}: ${status.received} of ${size} bytes`);
  if (status.state.startsWith("abort")) throw new Error("The upload was given up. Start again.");
  return status;
}

/** Up to a hundred of the missing parts, a few at a time. */
async function sendMissing(id: string): Promise<void> {
  const { parts, partSize } = await call<{ parts: Part[]; partSize: number }>("POST", `/uploads/${id}/parts`, {});
  const lane = async () => {
    for (let next = parts.shift(); next; next = parts.shift()) await send(id, next, partSize);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Straight to the storage. The length is part of the URL's signature: a body of another one is refused. */
const send = (id: string, { part, size, url }: Part, partSize: number) =>
  persistently(async () => {
    const start = (part - 1) * partSize;
    const answer = await fetch(url, { method: "PUT", body: file.slice(start, start + size) });
    if (answer.ok) return;
    const { status } = answer;
    const code = /<Code>(\w{1,64})<\/Code>/.exec(await answer.text())?.[1];
    if (status !== 507 && !/Quota|StorageFull/.test(code ?? "")) throw new Error(`Part ${part} was answered ${status}`);
    await call("POST", `/uploads/${id}/failed`, { status, code });
    await rm(memoryPath, { force: true });
    throw new Refused(
      "That storage node is full. Start again: the file goes to another one, or there is none with room.",
    );
  });

const call = <T>(method: string, path: string, body?: object, more: Record<string, string> = {}) =>
  persistently(async () => {
    const headers = { ...more, "x-api-key": key, ...(body && { "content-type": "application/json" }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${site}/api/v1/storage${path}`, init);
    const { data, error } = (await answer.json()) as { data: T; error: { message: string } | null };
    if (!error) return data;
    const isLater = answer.status === 429 || answer.status >= 500;
    throw isLater ? new Error(error.message) : new Refused(error.message);
  });

async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Refused || tries === attempts) throw error;
      await new Promise((wake) => setTimeout(wake, 350 * 2 ** tries));
    }
}

/** The service said no: asking again would not help. */
class Refused extends Error {}

function orRefused(error: unknown): undefined {
  if (!(error instanceof Refused)) throw error;
}

const id = (await begun()) ?? (await reserve());
for (let status = await look(id); status.state !== "completed"; status = await look(id)) {
  if (status.missing.length) await sendMissing(id);
  await call("POST", `/uploads/${id}/complete`).catch(orRefused); // refused: the next look tells what is missing
}
await rm(memoryPath, { force: true });
console.log(id);
