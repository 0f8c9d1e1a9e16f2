import * as records from "./records";
import * as service from "./service";
import { begin, finish, follow, errorText, isFinal, sendPart } from "./steps";
import type { Upload } from "./upload";

/*
 * Four workers for all files together. Each takes the next task: reserving space for a file, sending one of its parts,
 * or completing it. Stopped tasks return to the queue.
 */
const concurrency = 4;

export const uploads: Upload[] = [];
let busy = 0;

export function add(upload: Upload): void {
  uploads.push(upload);
  upload.changed(upload);
  pump();
}

/**
 * Restores an upload of a page that was closed. If everything has arrived it is completed; otherwise it waits for the
 * file to be selected again, also if the service does not respond. Selecting the file does not need to wait for the
 * response.
 */
export async function restore(upload: Upload, id: string): Promise<void> {
  upload.id = id;
  uploads.push(upload);
  upload.become("interrupted", "Checking what has arrived");
  const goesOn = () => upload.state !== "interrupted";
  try {
    const standing = await service.complete(id, upload.clash === "replace");
    if (!goesOn() && !follow(upload, standing)) upload.become("interrupted");
  } catch (error) {
    if (error instanceof service.Rejected && error.status === 404) await records.forget(id);
    if (!goesOn()) upload.become(isFinal(error) ? "failed" : "interrupted", errorText(error));
  }
}

export function pause(upload: Upload): void {
  upload.become("paused");
  upload.halt();
}

/** Resumes or retries, starting from what the service has. */
export function resume(upload: Upload, file = upload.file): void {
  upload.file = file;
  upload.become("waiting");
  pump();
}

/** Cancels the upload and frees its space. */
export async function cancel(upload: Upload): Promise<void> {
  const { id, state } = upload;
  uploads.splice(uploads.indexOf(upload), 1);
  upload.become("cancelled");
  upload.halt();
  if (!id || state === "done") return;
  await records.forget(id);
  await service.abort(id).catch(() => undefined); // then it expires
}

addEventListener("online", pump);
addEventListener("offline", () => {
  for (const upload of uploads.filter(({ isActive }) => isActive)) {
    upload.become("waiting");
    upload.halt();
  }
});

function pump(): void {
  while (busy < concurrency && navigator.onLine) {
    const task = nextTask();
    if (!task) return;
    busy++;
    void task.finally(() => {
      busy--;
      pump();
    });
  }
}

function nextTask(): Promise<void> | undefined {
  for (const upload of uploads) {
    if (upload.state === "waiting") return watched(upload, begin);
    if (upload.state !== "running") continue;
    const number = upload.missing.shift();
    if (number !== undefined) return watched(upload, (_, signal) => sendPart(upload, number, signal));
    if (!upload.sending.size) return watched(upload, finish);
  }
  return undefined;
}

/** A stopped task is not a failure; any other unsuccessful task fails the upload. */
async function watched(upload: Upload, work: (upload: Upload, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal } = upload.stop;
  try {
    await work(upload, signal);
  } catch (error) {
    if (signal.aborted) return;
    upload.become("failed", errorText(error));
    upload.halt();
  }
}
