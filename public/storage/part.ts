import { stopped } from "./retry";

/** What nodes call it when their disk or their quota is full. */
const fullCodes = ["XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded"];

/** The node did not take the part. 0: it was not reached. */
export class PartRejected extends Error {
  constructor(
    readonly status: number,
    readonly isForbidden = false,
    /** The S3 code in its answer. */
    readonly code = "",
  ) {
    super(errorText(status, isForbidden));
  }

  get isFull(): boolean {
    return this.status === 507 || fullCodes.includes(this.code);
  }
}

function errorText(status: number, isForbidden: boolean): string {
  if (isForbidden) return "This page is older than the storage node. Reload it, and the upload goes on.";
  if (status) return `The storage node answered ${status}.`;
  return "The storage node cannot be reached, or does not let this site in: see Nodes.";
}

/** Nodes that the page's policy does not name, because they were added after it was opened. */
const blockedOrigins = new Set<string>();
addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  if (effectiveDirective === "connect-src" && URL.canParse(blockedURI)) blockedOrigins.add(new URL(blockedURI).origin);
});

const codeIn = ({ responseText }: XMLHttpRequest) => /<Code>(\w{1,64})<\/Code>/.exec(responseText)?.[1] ?? "";

/** PUTs the bytes straight to the node. fetch() would not tell how far it is. */
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
