/** One request that is to be answered with this status; `at` is its path when that is not the document's own. */
export type Probe = { to: string; status: number; at?: string; init?: RequestInit; peer?: string };

/** What a client sends that speaks JSON; text as it is. */
export const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});
