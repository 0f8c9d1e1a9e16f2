/** A request and its expected status; `at` is its path if that differs from the document's. */
export type Probe = { to: string; status: number; at?: string; init?: RequestInit; peer?: string };

/** What a client sends that speaks JSON; text as it is. */
export const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});
