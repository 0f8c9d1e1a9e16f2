import * as http from "node:http";
import * as https from "node:https";
import { Client } from "minio";
import { operationOf } from "./operation";

type Credentials = { accessKey: string; secretKey: string; region: string };

/** Called for every call to a node, with the milliseconds until its response began or the call failed. */
export type CallListener = (operation: string, milliseconds: number) => void;

export type NodeClient = Client;

/** @param deadline milliseconds that one call may take */
export function clientFor(
  endpoint: string,
  { accessKey, secretKey, region }: Credentials,
  deadline: number,
  onCall?: CallListener,
): NodeClient {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === "https:";
  return new Client({
    endPoint: hostname.replace(/^\[|\]$/g, ""), // the client adds the brackets of IPv6 itself
    port: Number(port) || (useSSL ? 443 : 80),
    useSSL,
    accessKey,
    secretKey,
    region, // otherwise the client asks the node first, even to sign
    pathStyle: true,
    transport: within(deadline, useSSL ? https : http, onCall),
    retryOptions: { disableRetry: true }, // we retry ourselves, knowing what is repeated
  });
}

/** The client has no time limit of its own, and Bun ignores an agent's. */
const within = (deadline: number, { request }: Pick<typeof http, "request">, onCall: CallListener = () => {}) => ({
  request: ((options: http.RequestOptions, answered: (response: http.IncomingMessage) => void) => {
    const startedAt = performance.now();
    const note = () => onCall(operationOf(options), performance.now() - startedAt);
    return request({ ...options, signal: AbortSignal.timeout(deadline) }, (response) => {
      note();
      answered(legible(response));
    }).once("error", note);
  }) as typeof request,
});

/** Statuses that the client would retry; it then discards the body, and with it the error code. */
const repeatable = [408, 429, 499, 500, 502, 503, 504, 520];

/** Returns the same response under a status whose body the client reads. */
function legible(response: http.IncomingMessage): http.IncomingMessage {
  if (repeatable.includes(response.statusCode ?? 0)) response.statusCode = 599;
  return response;
}
