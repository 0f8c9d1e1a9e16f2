import type { RequestContext } from "../platform/request-context";
import { wideNetwork } from "../platform/client-address";
import { keyedHash } from "./secrets";

/** What is kept of a request's origin: a keyed hash of the network, and the user agent. */
export const traces = (context: RequestContext, secret: string) => ({
  network: keyedHash(secret, "network", wideNetwork(context.address)),
  userAgent: context.request.headers.get("user-agent")?.slice(0, 200) ?? null,
});
