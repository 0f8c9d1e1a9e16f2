/** The results of a crowd of visitors: the number of each status, and the response times in milliseconds. */
export type Crowd = { statuses: Record<string, number>; times: number[] };

/**
 * Sends `perSecond` visitors for `seconds`, whether or not earlier ones have been answered. No response counts as
 * status 0.
 */
export async function visitors(ask: () => Promise<Response>, perSecond: number, seconds: number): Promise<Crowd> {
  const crowd: Crowd = { statuses: {}, times: [] };
  const all: Promise<void>[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < seconds * 1_000) {
    const due = ((performance.now() - startedAt) * perSecond) / 1_000;
    while (all.length < due) all.push(visit(ask, crowd));
    await Bun.sleep(1);
  }
  await Promise.all(all);
  return crowd;
}

async function visit(ask: () => Promise<Response>, { statuses, times }: Crowd): Promise<void> {
  const startedAt = performance.now();
  const status = await ask().then(
    async (answer) => (await answer.arrayBuffer(), answer.status),
    () => 0,
  );
  times.push(performance.now() - startedAt);
  statuses[status] = (statuses[status] ?? 0) + 1;
}

/** An unused address, so that visitors do not share a rate limit. Not one of this machine's own. */
export const someAddress = () => `20.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join(".")}`;

/** A new person subscribes. */
export function subscribe(url: string, email = `${crypto.randomUUID()}@example.com`): Promise<Response> {
  return fetch(`${url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": someAddress() },
    body: JSON.stringify({ email }),
  });
}

/** The same for programs that send requests themselves. */
export const subscription = () => ({
  method: "POST",
  path: "/api/newsletter/subscribe",
  headers: { "content-type": "application/json", "x-forwarded-for": someAddress() },
  body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com` }),
});
