const secondMs = 1_000;

/** The error of an attempt that was stopped. */
export const stopped = () => new DOMException("stopped", "AbortError");

/** Resolves after that time; rejects immediately when stopped. */
export const delay = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(stopped());
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(stopped())), { once: true });
  });

/** Retries after 1, 2, 4 and 8 seconds. `isFinal` identifies errors that retrying would not fix. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  isFinal: (error: unknown) => boolean,
): Promise<T> {
  for (const pause of [1, 2, 4, 8]) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
    }
    await delay(pause * secondMs, signal);
  }
  return attempt();
}

/** Error codes of nodes whose disk or quota is full. */
const fullCodes = ["XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded"];

/** The node rejected the part; status 0 if it was not reached. */
export class PartRejected extends Error {
  constructor(
    readonly status: number,
    readonly isForbidden = false,
    /** The S3 error code. */
    readonly code = "",
  ) {
    super(errorText(status, isForbidden));
  }

  get isFull(): boolean {
    return this.status === 507 || fullCodes.includes(this.code);
  }
}

function errorText(status: number, isForbidden: boolean): string {
  if (isForbidden)
    return "A storage node was added since this page was opened. Reload the page to continue the upload.";
  if (status) return `The storage node returned an error (${status}).`;
  return "The storage node cannot be reached or does not allow uploads from this site. See Storage, Nodes.";
}

/** Nodes missing from the page's policy, because they were added after it was opened. */
const blockedOrigins = new Set<string>();
addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  if (effectiveDirective === "connect-src" && URL.canParse(blockedURI)) blockedOrigins.add(new URL(blockedURI).origin);
});

const codeIn = ({ responseText }: XMLHttpRequest) => /<Code>(\w{1,64})<\/Code>/.exec(responseText)?.[1] ?? "";

/** PUTs the bytes directly to the node. fetch() would not report progress. */
export const put = (url: string, bytes: Blob, onProgress: (loaded: number) => void, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(stopped());
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () =>
      request.status < 300 ? resolve() : reject(new PartRejected(request.status, false, codeIn(request)));
    request.onerror = () => reject(new PartRejected(0, blockedOrigins.has(new URL(url).origin)));
    request.onabort = () => reject(stopped());
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(bytes);
  });
