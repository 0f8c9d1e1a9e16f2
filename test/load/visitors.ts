/** What a crowd of visitors got: how often each status, and how long the answers took, in milliseconds. */
export type Crowd = { statuses: Record<string, number>; times: number[] };

/**
 * Lets `perSecond` visitors come for `seconds`, whether the ones before them have been answered or not. No answer at all
 * counts as status 0.
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

/** An address nobody had before, so that no visitor meets the rate limit of another. Not one of this machine's own. */
export const someAddress = () => `20.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join(".")}`;

/** Somebody new subscribes. */
export function subscribe(url: string, email = `${crypto.randomUUID()}@example.com`): Promise<Response> {
  return fetch(`${url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": someAddress() },
    body: JSON.stringify({ email }),
  });
}

/** The same for programs that send requests by themselves. */
export const subscription = () => ({
  method: "POST",
  path: "/api/newsletter/subscribe",
  headers: { "content-type": "application/json", "x-forwarded-for": someAddress() },
  body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com` }),
});
