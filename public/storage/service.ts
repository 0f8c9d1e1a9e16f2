/** How an upload stands, as the service says after a look at the node: the truth. */
export type UploadStatus = {
  id: string;
  state: "pending" | "open" | "completing" | "completed" | "aborting" | "aborted";
  /** The name the file has, or will have: another one when both were kept. */
  filename: string;
  size: number;
  /** Bytes of every part but the last. */
  partSize: number;
  /** Numbers of the parts that are there. */
  received: number[];
};
export type ReservationRequest = {
  filename: string;
  folderPath: string;
  mimeType: string;
  size: number;
  keepBoth: boolean;
};

/** The service said no, in words for people. Trying again changes nothing unless it was a fault (5xx). */
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

/** @throws Refused, or a TypeError when the service cannot be reached */
async function call<T>(to: string, content?: object, signal?: AbortSignal, more: object = {}): Promise<T> {
  const response = await fetch(path + to, {
    keepalive: true, // a cancel counts even when the page is closed right after
    method: content ? "POST" : "GET",
    headers: { "content-type": "application/json", "x-form-token": token(), "hx-request": "true", ...more },
    body: content ? JSON.stringify(content) : null,
    signal: signal ?? null,
  });
  if (response.status === 401 || response.status === 403)
    throw new Rejected(response.status, "You were signed out. Reload the page: the upload goes on from where it is.");
  const answer = await response.json().catch(() => ({ message: "Something went wrong. Try again." }));
  if (!response.ok) throw new Rejected(response.status, answer.message);
  return answer;
}

const namesPerRequest = 40; // the longest names and paths in less than 64 KiB: what a body may have, and one that is kept alive

/** Which of these names are taken in their folders. */
export const taken = async (files: { filename: string; folderPath: string }[]): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (let at = 0; at < files.length; at += namesPerRequest)
    answers.push(
      ...(await call<{ taken: boolean[] }>("/names", { files: files.slice(at, at + namesPerRequest) })).taken,
    );
  return answers;
};

/** Once for each key: whoever asks again gets what the lost answer said. */
export const reserve = (wanted: ReservationRequest, key: string) =>
  call<UploadStatus>("", wanted, undefined, { "idempotency-key": key });
export const getStatus = (id: string, signal?: AbortSignal) => call<UploadStatus>(`/${id}`, undefined, signal);
export const abort = (id: string) => call<UploadStatus>(`/${id}/abort`, {});

/** The node did not take a part: the upload is given up, and the next one goes to another node. */
export const failed = (id: string, answer: { status: number; code: string }) =>
  call<UploadStatus>(`/${id}/failed`, answer);

/** Not an error when parts are missing: the standing says which are there. */
export const complete = (id: string, replace: boolean, signal?: AbortSignal) =>
  call<UploadStatus>(`/${id}/complete`, { replace }, signal);

/** Where the parts with these numbers go. */
export const partUrls = (id: string, numbers: number[], signal: AbortSignal) =>
  call<{ urls: Record<string, string>; expiresIn: number }>(`/${id}/parts`, { numbers }, signal);
