import { errorCode } from "../platform/log";
import { lookup } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { isPublicAddress } from "../platform/networks";
import { hostOf, webhookTarget } from "./target";

const usualMs = 15_000; // for the name, the connection and the response together
const maxInterim = 10; // responses with 1xx before the one that counts
const maxAnswerBytes = 1_024; // read so that the connection can end properly, for what an endpoint decides, and for managers

/** The body is the beginning of what was answered. */
type PostResult = { status: number; retryAfter?: string | undefined; body?: Buffer } | { error: string };
/** The addresses of a host, each of which is checked. */
type Addresses = [first: LookupAddress, ...others: LookupAddress[]];
type Resolve = (host: string) => Promise<LookupAddress[]>;

type Options = {
  privateHosts: ReadonlySet<string>;
  /** How host names are resolved. */
  resolve?: Resolve;
  timeoutMs?: number;
  /** Seconds in which the endpoint decides something. */
  decidesWithin?: number | undefined;
};

const resolveAll: Resolve = (host) => lookup(host, { all: true });

/**
 * Posts to an endpoint. The name is resolved once, every address is checked, and the connection goes to the first
 * checked address that can be reached, so that a second DNS response cannot lead into our network. Redirects are not
 * followed.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { privateHosts, resolve = resolveAll, decidesWithin, ...options }: Options,
): Promise<PostResult> {
  const target = webhookTarget(url, privateHosts); // checked again, because the list of private hosts may have changed
  if ("problem" in target) return { error: target.problem };
  const parsed = new URL(target.url);
  const maxMs = decidesWithin === undefined ? usualMs : decidesWithin * 1_000;
  const signal = AbortSignal.timeout(options.timeoutMs ?? maxMs);
  const late = `No answer within ${maxMs / 1_000} ${maxMs === 1_000 ? "second" : "seconds"}.`;
  const addresses = await Promise.race([addressesOf(parsed, privateHosts, resolve), ended(signal, late)]);
  return "error" in addresses ? addresses : send(parsed, addresses, { headers, body, signal, late });
}

/** Resolves when the time is over: name servers have limits of their own, which are longer than a claim. */
const ended = (signal: AbortSignal, error: string) =>
  new Promise<{ error: string }>((end) => signal.addEventListener("abort", () => end({ error }), { once: true }));

async function addressesOf(
  url: URL,
  privateHosts: ReadonlySet<string>,
  resolve: Resolve,
): Promise<Addresses | { error: string }> {
  const host = hostOf(url);
  if (isIP(host)) return [{ address: host, family: isIP(host) }];
  const [first, ...others] = await resolve(host).catch(() => []);
  if (!first) return { error: "Host not found (DNS)." };
  const addresses: Addresses = [first, ...others];
  if (privateHosts.has(url.hostname) || addresses.every(({ address }) => isPublicAddress(address))) return addresses;
  return { error: "The name of the host leads to an address that is not public." };
}

type Call = { headers: Record<string, string>; body: string; signal: AbortSignal; late: string };

function send(url: URL, addresses: Addresses, { headers, body, signal, late }: Call) {
  const [{ address, family }] = addresses;
  return new Promise<PostResult>((done) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: "POST",
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      agent: false,
      signal,
      lookup: (_, { all }, callback) => (all ? callback(null, addresses) : callback(null, address, family)),
    });
    request.on("error", (error) => done({ error: wordsFor(error, late) }));
    let interim = 0;
    request.on("information", () => {
      if (++interim <= maxInterim) return;
      done({ error: "The receiver announces a response (1xx) without end." });
      request.destroy();
    });
    request.on("upgrade", ({ statusCode = 0 }, socket) => {
      done({ status: statusCode }); // nothing else comes, and no time limit ends it
      socket.destroy();
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let left = maxAnswerBytes;
      const finish = () => {
        const [status, retryAfter] = [response.statusCode ?? 0, response.headers["retry-after"]];
        done({ status, retryAfter, body: Buffer.concat(chunks).subarray(0, maxAnswerBytes) });
        request.destroy();
      };
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if ((left -= chunk.length) <= 0) finish();
      });
      response.on("end", finish).on("error", finish);
    });
    request.end(body);
  });
}

/** The text for managers. System error codes are kept for those who know them; names and addresses are left out. */
const wordsFor = (error: Error, late: string): string => {
  const code = errorCode(error) ?? "";
  if (/timeout|abort/i.test(`${code} ${error.name}`)) return late;
  if (/cert|tls|ssl|self.?signed|altname/i.test(`${code} ${error.message}`)) return "The certificate was not accepted.";
  return `The connection failed${/^[A-Z_]{3,40}$/.test(code) ? ` (${code})` : ""}.`;
};
