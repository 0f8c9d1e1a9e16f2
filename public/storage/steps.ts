import { PartRejected, put, delay, withRetries } from "./part";
import * as records from "./records";
import * as service from "./service";
import type { Upload } from "./upload";

/* The steps of one upload: reserving space, sending parts, completing it. */
const urlsPerRequest = 16;

/** Describes for people why a step failed. */
export const errorText = (error: unknown) =>
  error instanceof service.Rejected || error instanceof PartRejected
    ? error.message
    : "Postroom cannot be reached. Check your connection.";

/** A rejection is final, and so is a lack of space; other errors and timeouts may pass. */
export const isFinal = (error: unknown) =>
  (error instanceof service.Rejected && (error.status < 500 || error.status === 507)) ||
  (error instanceof PartRejected && error.isForbidden);

/** Reserves space, or gets the status of an existing reservation. */
export async function begin(upload: Upload, signal: AbortSignal): Promise<void> {
  upload.become("starting");
  const reserveOrLook = () => (upload.id ? service.getStatus(upload.id, signal) : reserveOnce(upload));
  const standing = await withRetries(reserveOrLook, signal, isFinal);
  if (signal.aborted) return;
  if (!follow(upload, standing) && upload.state === "starting") upload.become("running");
}

/** A user who pauses and resumes immediately waits for the same response. */
const reserveOnce = (upload: Upload) =>
  (upload.reserving ??= reserve(upload).finally(() => (upload.reserving = undefined)));

/** Never stopped half-way: a reservation no one knows of would hold its space until it expires. */
async function reserve(upload: Upload): Promise<service.UploadStatus> {
  const { name, folder, size, file, clash } = upload;
  const wanted = {
    filename: name,
    folderPath: folder,
    mimeType: file?.type || "application/octet-stream",
    size,
    keepBoth: clash === "keep",
  };
  const standing = await service.reserve(wanted, upload.key);
  upload.id = standing.id;
  if (upload.state === "cancelled") await service.abort(standing.id);
  else await records.keep(upload);
  return standing;
}

/** Applies the status from the service. Returns true if the upload has ended. @throws Rejected if it was aborted */
export function follow(upload: Upload, standing: service.UploadStatus): boolean {
  const { id, state } = standing;
  if (state === "completed") {
    void records.forget(id);
    upload.kept = upload.size;
    upload.become("done");
    upload.halt();
    return true;
  }
  if (state !== "aborted" && state !== "aborting") {
    upload.follow(standing);
    return false;
  }
  void records.forget(id);
  upload.id = undefined;
  const problem = standing.refusal ?? "This upload expired. Retry starts again from the beginning.";
  throw new service.Rejected(410, problem);
}

export async function sendPart(upload: Upload, number: number, signal: AbortSignal): Promise<void> {
  upload.sending.set(number, 0);
  try {
    await withRetries(() => send(upload, number, signal), signal, isFinal);
    upload.kept += upload.bytesOf(number);
  } catch (error) {
    upload.missing.unshift(number);
    throw error;
  } finally {
    upload.sending.delete(number);
  }
}

async function send(upload: Upload, number: number, signal: AbortSignal): Promise<void> {
  const url = await urlOf(upload, number, signal);
  const from = (number - 1) * upload.partSize;
  const bytes = upload.file?.slice(from, from + upload.bytesOf(number)) ?? new Blob();
  if (!(await isReadable(bytes)))
    throw new service.Rejected(410, "The file on this device has changed or no longer exists.");
  try {
    await put(url, bytes, (loaded) => upload.sending.set(number, loaded), signal);
  } catch (error) {
    upload.sending.set(number, 0);
    // The node no longer knows the upload; the service knows why
    if (error instanceof PartRejected && error.status === 404)
      follow(upload, await service.getStatus(upload.id ?? "", signal));
    if (error instanceof PartRejected && error.isFull) await switchNode(upload, error);
    throw error;
  }
}

/** The node is out of space: reports it to the service, which sends the file to another node, from the beginning. */
async function switchNode(upload: Upload, { status, code }: PartRejected): Promise<void> {
  const { id } = upload;
  if (!id) return; // another part was faster
  upload.id = undefined;
  upload.urls.clear();
  upload.become("starting");
  upload.halt(); // stops the other parts; tasks waiting for this one notice it too
  await service.failed(id, { status, code }).catch(() => undefined); // then it expires
  await records.forget(id);
  if (upload.state === "starting") upload.become("waiting");
}

/** Browsers read a file when sending it, and no error says that reading it failed. */
const isReadable = (bytes: Blob) =>
  bytes
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

/** A URL is used once, so that a retry gets a fresh one, as does a part whose turn comes after the URL has expired. */
function urlOf(upload: Upload, number: number, signal: AbortSignal): Promise<string> {
  const nextUrl = upload.asking.then(async () => {
    const signed = upload.urls.get(number);
    if (!signed || signed.until < Date.now()) await requestUrls(upload, number, signal);
    const url = upload.urls.get(number)?.url;
    upload.urls.delete(number);
    if (!url) throw new PartRejected(0);
    return url;
  });
  upload.asking = nextUrl.catch(() => undefined);
  return nextUrl;
}

async function requestUrls(upload: Upload, number: number, signal: AbortSignal): Promise<void> {
  const others = [...upload.sending.keys(), ...upload.missing].filter((other) => other !== number);
  const { urls, expiresIn } = await service.partUrls(
    upload.id ?? "",
    [number, ...others.slice(0, urlsPerRequest - 1)],
    signal,
  );
  const until = Date.now() + (expiresIn - 300) * 1_000;
  for (const [key, url] of Object.entries(urls)) upload.urls.set(Number(key), { url, until });
}

export async function finish(upload: Upload, signal: AbortSignal): Promise<void> {
  upload.become("finishing");
  const complete = () => service.complete(upload.id ?? "", upload.clash === "replace", signal);
  let standing = await withRetries(complete, signal, isFinal);
  while (standing.state === "completing") {
    await delay(2_000, signal);
    standing = await withRetries(complete, signal, isFinal);
  }
  if (!follow(upload, standing) && upload.state === "finishing") upload.become("running"); // a part is missing after all
}
