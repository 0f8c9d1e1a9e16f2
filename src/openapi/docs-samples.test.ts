import { expect, test } from "bun:test";
import { join } from "node:path";
import { subscribe } from "../../db/newsletter/subscribers";
import { clientFolder } from "../../test/support/client/build";
import { connected, fillSite } from "../../test/support/client/connected";
import { requestOf } from "../../test/support/docs/curl";
import { programs } from "../../test/support/docs/guides";
import { temporaryFolder } from "../../test/support/processes";
import { compile } from "../../test/support/typescript";
import { confirmLink, unsubscribeLink } from "../security/links";
import type { Endpoint } from "../../views/docs/endpoint";
import { newSecret, sign } from "../platform/webhook-signature";
import clientModule from "./docs-snippets/module.ts.txt" with { type: "text" };
import { verification } from "./docs-samples";
import { tags } from "./prose";
import { reference } from "./reference";
import type { OpenApi } from "./responses";

/** A service with something of everything, and the endpoints of its documentation. */
async function documented() {
  const folder = temporaryFolder();
  const site = await connected({ env: { DATA_DIR: folder.path } });
  const close = async () => {
    await site.close();
    folder[Symbol.dispose]();
  };
  await fillSite(site.service);
  const document = (await (await site.service.get("/openapi.json")).json()) as OpenApi;
  const endpoints = reference(document, tags).flatMap((section) => section.endpoints);
  return { ...site, close, endpoints, baseUrl: document.servers[0]?.url ?? "" };
}
type Site = Awaited<ReturnType<typeof documented>>;

/** What stands in a path instead of the example, for each operation that would not find it. */
async function valuesFor({ client, service }: Site, { id, path }: Endpoint): Promise<Record<string, string>> {
  const stored = () => client.upload(new Blob(["text"]), { filename: "a.txt" });
  if (path.includes("/posts/{slug}")) return { slug: "post-1" };
  if (path.includes("/projects/{slug}")) return { slug: "project-1" };
  if (/^\/docs\//.test(path)) return { page: "errors" };
  if (path.includes("{slug}")) return { slug: (await client.newsletter.broadcasts.list()).items[0]?.slug ?? "" };
  if (path.includes("/subscribers/{id}")) return { id: await subscriberIn(service) };
  if (path.includes("/files/{id}") || id === "completeUpload") return { id: (await stored()).id };
  if (!path.includes("/uploads/{id}")) return {};
  const multipart = path.endsWith("/parts");
  const input = { filename: "film.mp4", mimeType: "video/mp4", size: multipart ? 600 * 2 ** 20 : 5, multipart };
  return { id: (await client.uploads.create(input))._meta.reservationId };
}

async function subscriberIn({ db, now }: Site["service"]): Promise<string> {
  const email = `${Bun.randomUUIDv7()}@example.com`;
  const { subscriber } = await subscribe(db, { email }, { via: "form" }, now());
  return subscriber?.id ?? "";
}

/** The links of emails have a token for their address. */
function withToken(url: string, { service }: Site): string {
  const { config, now } = service;
  if (!url.includes("token=text")) return url;
  const isConfirmation = /\/confirm/.test(url);
  const link = isConfirmation
    ? confirmLink(config, "ada@example.com", now())
    : unsubscribeLink(config, "ada@example.com");
  return url.replace(/\?.*/, new URL(link).search);
}

/** What those that do not succeed here answer, and why. */
const refusals: Record<string, number> = {
  receiveProviderReport: 404, // there is no provider to sign it
  getMedia: 404, // nothing published uses a file
  downloadRecord: 400, // its token is of the last hour, and emailed
  watchPreview: 404, // its token is of a preview link
  getSitemapPart: 404, // the site is too small for parts
};

test("every curl command of the documentation does what it says", async () => {
  const site = await documented();
  const statuses: [id: string, status: number][] = [];
  const expected: typeof statuses = [];
  for (const endpoint of site.endpoints) {
    const { id, samples } = endpoint;
    const command = samples.find(({ language }) => language === "curl")?.code ?? "";
    const values = await valuesFor(site, endpoint);
    const { url, init } = requestOf(command.replace("<your key>", site.key));
    expect([id, url]).toEqual([id, expect.not.stringContaining("{")]); // every value is there
    const ours = endpoint.path.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
    const address = withToken(url.replace(/(?<=\w)\/[^?]*/, ours), site).replace(site.baseUrl, site.url);
    const { status } = await fetch(address, init);
    statuses.push([id, status]);
    expected.push([id, refusals[id] ?? (status >= 200 && status < 400 ? status : 200)]);
  }
  expect(statuses.length).toBeGreaterThan(45);
  expect(statuses).toEqual(expected);
  await site.close();
});

test("an example in Go says that it sends JSON when it sends something, and only then", async () => {
  const site = await documented();
  const examples = site.endpoints.flatMap(({ samples }) => samples.filter(({ language }) => language === "Go"));
  expect(examples.length).toBeGreaterThan(20);
  for (const { code } of examples) expect(code.includes("application/json")).toBe(code.includes("strings.NewReader"));
  await site.close();
});

const typescriptOf = ({ samples }: Endpoint) => samples.find(({ language }) => language === "TypeScript")?.code;

test("every endpoint for which a key is needed has an example in each language", async () => {
  const site = await documented();
  const keyed = site.endpoints.filter(({ path }) => path.startsWith("/api/v1/"));
  expect(keyed.length).toBeGreaterThan(25);
  for (const { id, samples } of keyed)
    expect([id, ...samples.map(({ language }) => language)]).toEqual([id, "curl", "TypeScript", "Python", "Go"]);
  await site.close();
});

test("every TypeScript example compiles under strict", async () => {
  const site = await documented();
  const files: Record<string, string> = {
    "/node.d.ts": "declare const process: { env: Record<string, string | undefined> };",
  };
  for (const endpoint of site.endpoints) {
    const code = typescriptOf(endpoint);
    if (code) files[`/${endpoint.id}.ts`] = code.replace("postroom/client", "./client");
  }
  for (const [i, { code }] of programs.entries())
    files[`/guide-${i}.ts`] = `${code.replace("postroom/client", "./client")}\nexport {};`;
  files["/postroom.ts"] = clientModule.replace("postroom/client", "./client");
  expect(Object.keys(files).length).toBeGreaterThan(40);
  for (const name of ["client.ts", "request.ts", "upload.ts", "webhook.ts", "routes.ts", "schema.d.ts"])
    files[`/${name}`] = await Bun.file(join(clientFolder, name)).text();
  expect(compile(files)).toEqual([]);
  await site.close();
});

test("every TypeScript example runs, and has a result", async () => {
  const site = await documented();
  using folder = temporaryFolder();
  const missing: string[] = [];
  for (const endpoint of site.endpoints) {
    const values = await valuesFor(site, endpoint);
    const code = typescriptOf(endpoint)
      ?.replace("postroom/client", join(clientFolder, "client.ts"))
      .replace(site.baseUrl, site.url)
      .replace('process.env.POSTROOM_KEY ?? ""', JSON.stringify(site.key))
      .replace(/^const (slug|id) = ".*";/m, (_, name: string) => `const ${name} = "${values[name]}";`);
    if (!code) continue;
    const file = join(folder.path, `${endpoint.id}.ts`);
    await Bun.write(file, `${code}\nexport { result };`);
    const { result } = await import(file);
    if (!result) missing.push(endpoint.id);
  }
  expect(missing).toEqual([]);
  await site.close();
});

test("the receiver of the documentation accepts what the service signs, and nothing else", async () => {
  using folder = temporaryFolder();
  const [secret, body] = [
    newSecret(),
    JSON.stringify({ type: "ping", timestamp: "2026-11-23T12:00:00Z", data: { id: "1" } }),
  ];
  const code = verification
    .find(({ language }) => language === "TypeScript")
    ?.code.replace("postroom/client", join(clientFolder, "client.ts"))
    .replace('process.env.WEBHOOK_SECRET ?? ""', JSON.stringify(secret));
  const file = join(folder.path, "receiver.ts");
  await Bun.write(file, code ?? "");
  const { POST } = await import(file);
  const at = Math.floor(Date.now() / 1_000);
  const call = (signedWith: string) => {
    const headers = {
      "webhook-id": "1",
      "webhook-timestamp": String(at),
      "webhook-signature": sign([signedWith], "1", at, body),
    };
    return POST(new Request("http://localhost/", { method: "POST", headers, body }));
  };
  expect([(await call(secret)).status, (await call(newSecret())).status]).toEqual([204, 401]);
});
