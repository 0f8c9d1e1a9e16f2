/**
 * `npx bun test/fuzz/schemathesis.ts [program] [examples]`: runs schemathesis, with all its checks, against a service
 * of its own with sample content. It is not part of `npm test`, because it is a Python program: `pip install
 * schemathesis`.
 *
 * The document has the exact patterns of the routes, which Python reads although generators of clients often cannot.
 * The configuration provides what cannot be guessed: a key, tokens of links, cursors, IDs. Each request comes from
 * another client; otherwise all after the fifth would be a 429.
 */
import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "../../db/schema/scopes";
import { cursorAfter } from "../../src/api/cursor";
import { describeService } from "../../src/openapi/document";
import { confirmLink, recordLink, unsubscribeLink } from "../../src/security/links";
import { postroom, startService, temporaryFolder } from "../support/processes";
import { testService } from "../support/service";

const [program = "schemathesis", examples = "50"] = Bun.argv.slice(2);
const env = { APP_SECRET: "a-secret-of-at-least-32-characters", LOG_LEVEL: "warn" };

/** Spec part 7 requires a 507 when the storage is full, and sizes of 5 TiB fill it. */
const fullIsNoFailure = `[[operations]]
include-path = "/api/v1/storage/upload"
[operations.checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "507"]
`;

/** What the data of the site decides, and no document can say: its fields and segments, and which files are pictures. */
const decidedByData = ["/api/v1/subscribers", "/api/v1/subscribers/{id}", "/api/v1/storage/files/{id}"];
const mayReject = `[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "429"]
`;

/** It drops the query of a redirect, and takes /newsletter/preferences for a slug of /newsletter/{slug}. */
const withoutRedirects = `[phases.stateful.inference]
algorithms = ["dependency-analysis"]
`;

/** Of many, each is read by itself; and in a form, one value is a list of one. */
const acceptsMore = ["/api/v1/subscribers/batch", "/newsletter/subscribe"].map(
  (path) => `[[operations]]
include-path = ${JSON.stringify(path)}
[operations.checks.negative_data_rejection]
expected-statuses = ["200", "4xx"]
`,
);

using folder = temporaryFolder();
const data = join(folder.path, "data");
await postroom(data, ["demo"], env);
const keyedScopes = scopes.filter((scope) => scope !== "visitors").join(",");
const key = (await postroom(data, ["keys", "create", "Schemathesis", `--scopes=${keyedScopes}`], env)).out.trim();
const service = await startService(data, env);
const headers = { "x-api-key": key, "content-type": "application/json" };

const document = describeService(await (await testService()).app.routes(), service.url, { isExact: true });
/** Blanks around an address are removed, which the patterns know and this format does not. */
const withoutFormat = (name: string, value: unknown) => (name === "format" && value === "email" ? undefined : value);
writeFileSync(join(folder.path, "openapi.json"), JSON.stringify(document, withoutFormat));
writeFileSync(join(folder.path, "schemathesis.toml"), await configuration());
writeFileSync(
  join(folder.path, "hooks.py"),
  `import itertools, schemathesis
clients = itertools.count()
@schemathesis.hook
def before_call(context, case, kwargs):
    n = next(clients)
    case.headers = case.headers or {}
    case.headers["X-Forwarded-For"] = f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
`,
);
const run = Bun.spawn(
  [
    ...[program, "--config-file", "schemathesis.toml", "run", "openapi.json", "--url", service.url],
    ...["--checks", "all", "-n", examples, "--continue-on-failure", "--rate-limit", "580/m"], // a key has 600
    "--suppress-health-check=too_slow", // of what it makes up: a hundred people in one body
  ],
  {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", HOME: folder.path, SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: folder.path },
    stdio: ["ignore", "inherit", "inherit"],
  },
);
process.exitCode = await run.exited;
const { code, out, err } = await service.end();
console.log(`The service ended with ${code}, and said:\n${out}${err}`);

async function configuration(): Promise<string> {
  const files = [await upload("a.txt"), await upload("b.txt"), await upload("c.txt")];
  using sqlite = new Database(join(data, "postroom.sqlite"));
  sqlite.run("PRAGMA busy_timeout = 5000");
  sqlite.run("UPDATE storage_nodes SET capacity_bytes = 9e15");
  const { slug } = sqlite.query<{ slug: string }, []>("SELECT slug FROM posts WHERE published = 1").get() ?? {
    slug: "",
  };
  const secrets = { BASE_URL: service.url, ...env, APP_SECRET_PREVIOUS: [] };
  const fromLink = parametersOf(unsubscribeLink(secrets, "ada@example.com"));
  const [{ id: subscriber } = { id: "" }, { email: reader } = { email: "" }] = sqlite // the first of them may be erased
    .query<{ id: string; email: string }, []>(
      "SELECT id, email FROM subscribers WHERE state = 'active' AND pending_at IS NULL LIMIT 2",
    )
    .all();
  const ofRecord = parametersOf(recordLink(secrets, "ada@example.com", new Date()));
  const fromConfirmation = parametersOf(confirmLink(secrets, reader, new Date()));
  const open = (await reserve({ filename: "d.bin", mimeType: "video/mp4", size: 7e9, multipart: true })).id;
  await reserve({ filename: "e.bin", mimeType: "video/mp4", size: 7e9 });
  const values: Record<string, Record<string, string>> = {
    "/api/newsletter/unsubscribe": fromLink,
    "/api/newsletter/leave": fromLink,
    "/api/newsletter/subscribe-again": fromLink,
    "/newsletter/preferences": fromLink,
    "/newsletter/record": ofRecord,
    "/api/newsletter/confirm": fromConfirmation,
    "/api/newsletter/confirm-again": fromConfirmation,
    "/api/v1/newsletter/broadcasts": { "query.cursor": cursorAfter([Date.now(), "any"]) }, // the sample content has none
    "/api/posts/{slug}": { "path.slug": slug },
    "/api/v1/storage/files/{id}": { "path.id": files[0] ?? "" },
    "/api/v1/storage/files/{id}/download": { "path.id": files[1] ?? "" },
    "/api/v1/storage/uploads/{id}/parts": { "path.id": open },
    "/api/v1/subscribers/{id}": { "path.id": subscriber },
  };
  for (const path of [
    "/api/v1/posts",
    "/api/v1/projects",
    "/api/v1/storage/files",
    "/api/v1/storage/uploads",
    "/api/v1/subscribers",
  ])
    values[path] = { "query.cursor": await cursorOf(path) };
  return [
    `[auth.openapi.apiKey]\napi_key = ${JSON.stringify(key)}\n`,
    withoutRedirects,
    fullIsNoFailure,
    ...acceptsMore,
    ...Object.entries(values).map(([path, parameters]) => {
      const lines = Object.entries(parameters).map(
        ([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`,
      );
      return `[[operations]]\ninclude-path = ${JSON.stringify(path)}\n[operations.parameters]\n${lines.join("\n")}\n${decidedByData.includes(path) ? mayReject : ""}`;
    }),
  ].join("\n");
}

async function reserve(body: object): Promise<{ id: string; url: string }> {
  const answer = await fetch(`${service.url}/api/v1/storage/upload`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const { data: grant } = (await answer.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
  return { id: grant._meta.reservationId, url: grant.uploadUrl };
}

/** A file that is there. */
async function upload(filename: string): Promise<string> {
  const { id, url } = await reserve({ filename, mimeType: "text/plain", size: 5 });
  await fetch(url, { method: "PUT", body: "hello" });
  await fetch(`${service.url}/api/v1/storage/uploads/${id}/complete`, { method: "POST", headers });
  return id;
}

function parametersOf(link: string): Record<string, string> {
  return Object.fromEntries([...new URL(link).searchParams].map(([name, value]) => [`query.${name}`, value]));
}

/** Of the second page. */
async function cursorOf(path: string): Promise<string> {
  const answer = await fetch(`${service.url}${path}?limit=1`, { headers });
  const next = /<([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
  if (!next) throw new Error(`${path} has one page only`);
  return new URL(next).searchParams.get("cursor") ?? "";
}
