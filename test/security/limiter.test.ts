import { expect, setDefaultTimeout, test } from "bun:test";
import { startService, temporaryFolder } from "../support/processes";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

const endpoints = {
  "/api/newsletter/subscribe": (i: number) => ({ email: `p${i}@example.com` }),
  "/api/contact": (i: number) => ({ name: "Ada", email: "ada@example.com", message: `Good morning, number ${i}.` }),
};

/** The statuses of that many simultaneous requests, and how often each occurred. */
async function storm(
  url: string,
  path: keyof typeof endpoints,
  count: number,
  headers: (i: number) => object = () => ({}),
) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers(i) },
        body: JSON.stringify(endpoints[path](i)),
      }),
    ),
  );
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

test("over real sockets, of 200 simultaneous requests five are admitted, and a kill -9 forgives no one (S6)", async () => {
  using folder = temporaryFolder();
  const first = await startService(folder.path);
  for (const path of ["/api/newsletter/subscribe", "/api/contact"] as const)
    expect([path, await storm(first.url, path, 200)]).toEqual([path, { 201: 5, 429: 195 }]);
  await first.end("SIGKILL");

  const second = await startService(folder.path);
  for (const path of ["/api/newsletter/subscribe", "/api/contact"] as const)
    expect([path, await storm(second.url, path, 20)]).toEqual([path, { 429: 20 }]);
  await second.end();
});

test("a proxy on this machine speaks for its visitors, but what visitors put in front does not count (S6)", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path);
  const path = "/api/newsletter/subscribe";
  const forwarded = (of: (i: number) => string) => (i: number) => ({ "x-forwarded-for": of(i) });
  expect(
    await storm(
      service.url,
      path,
      20,
      forwarded((i) => `198.51.100.${i}`),
    ),
  ).toEqual({ 201: 20 });
  const spoofed = forwarded((i) => `192.0.2.${i}, 203.0.113.9`); // the proxy added the last one
  expect(await storm(service.url, path, 50, spoofed)).toMatchObject({ 429: 45 });
  await service.end();
});

test("with TRUSTED_PROXIES=none no one can claim another address (S6)", async () => {
  using folder = temporaryFolder();
  const service = await startService(folder.path, { TRUSTED_PROXIES: "none" });
  const spoofed = (i: number) => ({ "x-forwarded-for": `198.51.${i >> 8}.${i & 255}`, forwarded: `for=192.0.2.${i}` });
  expect(await storm(service.url, "/api/contact", 300, spoofed)).toEqual({ 201: 5, 429: 295 });
  await service.end();
});
