import type { BlockList } from "node:net";
import { clientAddress } from "./security/client";

/** What the service knows about one request besides the request itself. Made by the front door, for everybody behind it. */
export class Visit {
  readonly id = crypto.randomUUID();
  readonly startedAt = performance.now();
  /** Headers that the answer is to carry, whatever it turns out to be. */
  readonly headers: Record<string, string> = {};
  /** Writes that must be on disk before the answer leaves. */
  readonly pending: Promise<unknown>[] = [];
  /** The API key that was let in. */
  apiKeyId: string | undefined;

  constructor(
    readonly request: Request,
    /** HEAD: looks like a GET to the routes, must not change anything (D9). */
    readonly isHead: boolean,
    readonly pathname: string,
    private readonly peer: string,
    private readonly trusted: BlockList,
  ) {}

  /** Adds a write to `pending`. Should it fail early, the front door hears of it later, and the process not at all. */
  owe(write: Promise<unknown>): void {
    write.catch(() => undefined);
    this.pending.push(write);
  }

  /** The visitor's own address, as far as the trusted proxies vouch for it (D30). */
  get address(): string {
    return clientAddress(this.peer, this.request.headers.get("x-forwarded-for"), this.trusted);
  }

  /** Somebody is only looking: HEAD, or a browser or mail program fetching ahead (D15). Nothing may change. */
  get isPassive(): boolean {
    const { headers } = this.request;
    const purpose = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => headers.get(name)).join(" ");
    return this.isHead || /prefetch|preview|prerender/i.test(purpose);
  }
}

const visits = new WeakMap<Request, Visit>();

export const remember = (visit: Visit) => visits.set(visit.request, visit);

export function visitOf(request: Request): Visit {
  const visit = visits.get(request);
  if (!visit) throw new Error("This request did not come through the front door");
  return visit;
}
