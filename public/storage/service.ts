/** The state of an upload, as reported by the service after checking with the node: the source of truth. */
export type UploadStatus = {
  id: string;
  state: "pending" | "open" | "completing" | "completed" | "aborting" | "aborted";
  /** The file's name, or future name; a different one if both files were kept. */
  filename: string;
  size: number;
  /** Bytes of every part but the last. */
  partSize: number;
  /** Numbers of the parts that have arrived. */
  received: number[];
  /** Who refused the file and why, if an endpoint did. */
  refusal?: string;
};
type ReservationRequest = {
  filename: string;
  folderPath: string;
  mimeType: string;
  size: number;
  keepBoth: boolean;
};

/** The service rejected the request, with a message for people. Trying again helps only after a server error (5xx). */
export class Rejected extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const path = "/dashboard/storage/uploads";
const token = () => document.querySelector<HTMLInputElement>("input[name=_token]")?.value ?? "";

/** @throws Rejected, or a TypeError if the service cannot be reached */
async function call<T>(to: string, content?: object, signal?: AbortSignal, more: object = {}): Promise<T> {
  const response = await fetch(path + to, {
    keepalive: true, // so that a cancel takes effect even if the page is closed right after
    method: content ? "POST" : "GET",
    headers: { "content-type": "application/json", "x-form-token": token(), "hx-request": "true", ...more },
    body: content ? JSON.stringify(content) : null,
    signal: signal ?? null,
  });
  if (response.status === 401 || response.status === 403) {
    dispatchEvent(new Event("signed-out"));
    throw new Rejected(response.status, "You have been signed out. Sign in again to continue the upload.");
  }
  const answer = await response.json().catch(() => ({ message: "Something went wrong. Try again." }));
  if (!response.ok) throw new Rejected(response.status, answer.message);
  return answer;
}

const namesPerRequest = 40; // the longest names and paths still fit into 64 KiB, the limit of a body and of a keepalive request

/** Returns which of these names are taken in their folders. */
export const taken = async (files: { filename: string; folderPath: string }[]): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (let at = 0; at < files.length; at += namesPerRequest)
    answers.push(
      ...(await call<{ taken: boolean[] }>("/names", { files: files.slice(at, at + namesPerRequest) })).taken,
    );
  return answers;
};

/** Reserves once per key: a repeated call returns the lost response. */
export const reserve = (wanted: ReservationRequest, key: string) =>
  call<UploadStatus>("", wanted, undefined, { "idempotency-key": key });
export const getStatus = (id: string, signal?: AbortSignal) => call<UploadStatus>(`/${id}`, undefined, signal);
export const abort = (id: string) => call<UploadStatus>(`/${id}/abort`, {});

/** Reports that the node rejected a part: the upload is aborted, and the next one goes to a different node. */
export const failed = (id: string, answer: { status: number; code: string }) =>
  call<UploadStatus>(`/${id}/failed`, answer);

/** Missing parts are not an error: the status says which have arrived. */
export const complete = (id: string, replace: boolean, signal?: AbortSignal) =>
  call<UploadStatus>(`/${id}/complete`, { replace }, signal);

/** Returns the URLs for the parts with these numbers. */
export const partUrls = (id: string, numbers: number[], signal: AbortSignal) =>
  call<{ urls: Record<string, string>; expiresIn: number }>(`/${id}/parts`, { numbers }, signal);
