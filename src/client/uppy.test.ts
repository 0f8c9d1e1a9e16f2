import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeCode } from "../../test/support/client/build";
import { connected } from "../../test/support/client/connected";
import { temporaryFolder } from "../../test/support/processes";
import { partSizeFor } from "../storage/uploads/plan";
import { partSize, uppyHandler } from "./uppy";

// Uppy speaks Companion's protocol; what it sends was recorded from @uppy/aws-s3 6.3.1

const guide = await Bun.file(join(import.meta.dir, "../../docs/uppy.md")).text();
const snippetIn = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
const part = 5 * 2 ** 20;

/** The guide's server, in front of a service, and Uppy's calls. */
async function uppySite(folder: string, intercept?: (request: Request) => Response | undefined) {
  const site = await connected({ part, ...(intercept && { intercept }) });
  mkdirSync(join(folder, "node_modules"));
  await writeCode(join(folder, "node_modules/postroom"));
  writeFileSync(join(folder, "server.ts"), snippetIn("ts"));
  const env = { POSTROOM_URL: site.url, POSTROOM_KEY: site.key, UPPY_SECRET: "a secret of the site" };
  Object.assign(process.env, env);
  const { answerUppy }: { answerUppy: (request: Request) => Promise<Response> } = await import(
    join(folder, "server.ts")
  );
  for (const name of Object.keys(env)) delete process.env[name]; // the module has read them
  const ask = async (method: string, path: string, body?: object, owner = "ada") => {
    const headers = { cookie: `session=${owner}` };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await answerUppy(new Request(`https://site.example/uploads/s3/multipart${path}`, init));
    return { status: response.status, json: await response.json(), headers: response.headers };
  };
  const create = async (size: number | string) => {
    const file = { filename: "film.mp4", type: "video/mp4", metadata: { name: "film.mp4", size } };
    return (await ask("POST", "", file)).json as { uploadId: string; key: string };
  };
  const put = async (at: string, key: string, number: number, size: number) => {
    const { json } = await ask("GET", `/${at}/${number}?key=${key}`);
    return (await fetch((json as { url: string }).url, { method: "PUT", body: new Uint8Array(size) })).status;
  };
  return { ...site, ask, create, put };
}

test("the guide's answers to Uppy upload a file in parts, resume it and cancel it", async () => {
  using folder = temporaryFolder();
  await using site = await uppySite(folder.path);
  const { ask, client, create, put } = site;
  const { uploadId, key } = await create(part + 1);
  expect(await put(uploadId, key, 1, part)).toBe(200);
  expect((await ask("GET", `/${uploadId}?key=${key}`)).json).toEqual([{ PartNumber: 1, ETag: "-" }]);
  expect(await put(uploadId, key, 2, 2)).toBe(403); // of another length than reserved
  expect(await put(uploadId, key, 2, 1)).toBe(200);
  const parts = { parts: [1, 2].map((PartNumber) => ({ PartNumber, ETag: "x" })) };
  expect((await ask("POST", `/${uploadId}/complete?key=${key}`, parts)).json).toMatchObject({ location: uploadId });
  expect(await client.files.get(uploadId)).toMatchObject({ size: part + 1, filename: "film.mp4", folderPath: "inbox" });

  const cancelled = await create(part);
  expect((await ask("DELETE", `/${cancelled.uploadId}?key=${cancelled.key}`)).status).toBe(200);
  expect((await client.uploads.get(cancelled.uploadId))?.state).toBe("aborted");
});

test("the guide's answers to Uppy refuse another owner, another key and a file that is too large", async () => {
  using folder = temporaryFolder();
  await using site = await uppySite(folder.path);
  const { ask, client, create } = site;
  const { uploadId, key } = await create(part);
  const calls = [
    ["GET", ""],
    ["GET", "/1"],
    ["DELETE", ""],
    ["POST", "/complete"],
  ] as const;
  for (const [method, path] of calls) {
    expect((await ask(method, `/${uploadId}${path}?key=${key}`, undefined, "eve")).status).toBe(404);
    for (const query of ["", "?key=", `?key=${"0".repeat(64)}`])
      expect((await ask(method, `/${uploadId}${path}${query}`)).status).toBe(404);
  }
  expect((await client.uploads.get(uploadId))?.state).toBe("open");
  for (const [size, type, status] of [
    [1_000_000_001, "video/mp4", 413],
    [0, "video/mp4", 413],
    ["much", "video/mp4", 413],
    [1, "text/html", 415],
    [1, "image/png", 200],
  ]) {
    const { status: seen } = await ask("POST", "", { filename: "a", type, metadata: { size } });
    expect([size, type, seen]).toEqual([size, type, status]);
  }
  expect((await ask("POST", "", {}, "")).status).toBe(401); // not signed in
  for (const [method, path] of [
    ["GET", ""],
    ["PUT", `/${uploadId}?key=${key}`],
    ["GET", `/${uploadId}/complete?key=${key}`],
  ] as const)
    expect([method, path, (await ask(method, path)).status]).toEqual([method, path, 405]);
});

test("what the service answers reaches Uppy, but not that the key of the site is wrong", async () => {
  using folder = temporaryFolder();
  let answer: Response | undefined;
  await using site = await uppySite(folder.path, () => answer);
  const create = { filename: "a.png", type: "image/png", metadata: { size: 1 } };
  const failing = (status: number, code: string, more: object = {}) => {
    const error = { code, message: "It failed.", ...more };
    const headers: Record<string, string> = status === 429 ? { "retry-after": "40" } : {};
    answer = Response.json({ success: false, data: null, error }, { status, headers });
    return site.ask("POST", "", create);
  };
  const details = [{ field: "size", message: "must be at most 5" }];
  expect(await failing(400, "VALIDATION_ERROR", { details })).toMatchObject({
    status: 400,
    json: { message: "size must be at most 5" },
  });
  const limited = await failing(429, "RATE_LIMITED");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "40"]);
  const full = await failing(507, "INSUFFICIENT_STORAGE");
  expect([full.status, full.headers.get("retry-after")]).toEqual([507, null]);
  expect((await failing(401, "UNAUTHORIZED")).status).toBe(502);
});

test("there is no handler for Uppy without a secret, with which anyone could sign", async () => {
  await using site = await connected();
  const authorize = () => null;
  for (const secret of ["", "short"]) expect(() => uppyHandler(site.client, { authorize, secret })).toThrow("secret");
});

test("a failure that is none of the service is left to the server that has it", async () => {
  await using site = await connected();
  const create = () => Promise.reject(new TypeError("no network"));
  const client = { uploads: { ...site.client.uploads, create } };
  const handle = uppyHandler(client, {
    authorize: () => ({ owner: "ada", maxBytes: 9 }),
    secret: "a secret of the site",
  });
  const body = JSON.stringify({ filename: "film.mp4", type: "video/mp4", metadata: { size: 9 } });
  const asked = handle(new Request("https://site.example/uploads/s3/multipart", { method: "POST", body }));
  await expect(asked).rejects.toThrow("no network");
});

test("Uppy cuts files into the service's own parts", () => {
  for (const size of [1, 64 * 2 ** 20, 2 ** 39, 2 ** 39 + 1, 5 * 2 ** 40])
    expect(partSize({ size })).toBe(partSizeFor(size));
});

test("the guide's page and server use what the package has", () => {
  expect(snippetIn("js")).toContain('import { partSize } from "postroom/client/uppy";');
  expect(snippetIn("ts")).toContain('import { uppyHandler } from "postroom/client/uppy";');
});
