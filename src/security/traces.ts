import type { RequestContext } from "../http/request-context";
import { wideNetwork } from "./client";
import { keyedHash } from "./secrets";

/** Where a request came from, as far as it is kept: a keyed hash of the network, and the program's name. */
export const traces = (context: RequestContext, secret: string) => ({
  network: keyedHash(secret, "network", wideNetwork(context.address)),
  userAgent: context.request.headers.get("user-agent")?.slice(0, 200) ?? null,
});
