import { pathOf, targetOf } from "../visit";

/** Tells the office who is at the other end of the visitor's connection. Only what comes through its socket is believed. */
export const peerHeader = "x-postroom-peer";

/** What a visitor may ask of the connection to us, but not of ours to the office (RFC 9110 section 7.6.1). */
const askedOfUs = ["connection", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"];
const ownToAConnection = ["connection", "keep-alive", "transfer-encoding", "content-length", "date"];
const small = 1024 * 1024; // bytes

/** Passes a request on to the office and its answer back, both as they are. */
export async function forward(request: Request, peer: string, socket: string): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of askedOfUs) headers.delete(name);
  headers.set(peerHeader, peer);
  // What the visitor did not say is not to be said for him
  for (const [name, value] of Object.entries({ accept: "*/*", "accept-encoding": "identity", "user-agent": "" }))
    if (!headers.has(name)) headers.set(name, value);
  const { method, body, signal } = request;
  const options = { method, headers, signal, redirect: "manual", decompress: false, unix: socket } as const;
  const url = `http://office.localhost${targetOf(request.url)}`;
  return returned(method, await fetch(url, body && pathOf(url) ? { ...options, body } : options));
}

/** The answer with headers of its own: small ones whole, so that their length is known. */
async function returned(method: string, answer: Response): Promise<Response> {
  const { status } = answer;
  const length = answer.headers.get("content-length");
  const headers = new Headers(answer.headers);
  for (const name of ownToAConnection) headers.delete(name);
  if (method === "HEAD" && length !== null) headers.set("content-length", length);
  if (method === "HEAD" || status === 204 || status === 304) return new Response(null, { status, headers });
  const isSmall = length !== null && Number(length) <= small;
  return new Response(isSmall ? await answer.bytes() : answer.body, { status, headers });
}
