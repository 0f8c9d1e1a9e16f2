import { Database } from "bun:sqlite";
import { join } from "node:path";
import { deriveKey } from "../../src/security/secrets";
import { codeAt } from "../../src/security/totp";
import { unsubscribeLink } from "../../src/security/links";
import { keysIn } from "../../src/storage/embedded/authentication";
import { postroom, startService } from "../support/processes";

const given = {
  APP_SECRET: `${"s3cr3t".repeat(6)}-of-this-service`,
  METRICS_TOKEN: "metrics-token-of-this-service",
};
const environment = { ...given, LOG_LEVEL: "debug" };
const password = "heron lantern quarry 41";
const owner = { email: "olive@example.com", name: "Olive Owner" };

/** Secrets that must not be found anywhere afterwards, by name. */
export type Secrets = Record<string, string>;

/**
 * Does with a running service what people do with it, right and wrong, and collects every secret that was typed, shown
 * or issued. The service is killed at the end, so that its write-ahead log remains.
 */
export async function visitEverything(dataDir: string, backup: string) {
  const secrets: Secrets = { ...given, password, "wrong password": "heron lantern quarry 42" };
  secrets["APP_SECRET's key of links"] = deriveKey(environment.APP_SECRET, "unsubscribe/v1").toString("hex");
  const service = await startService(dataDir, environment);
  const browser = createBrowser(service.url);

  secrets["key of the command line"] = (await postroom(dataDir, ["keys", "create", "Site"], environment)).out.trim();
  secrets["key of the embedded node"] = (await keysIn(join(dataDir, "storage"))).secretKey;
  await visitors(service.url, dataDir, secrets);
  const file = await uploads(service.url, secrets);
  await resumed(service.url, file, secrets);

  const link = new URL((await postroom(dataDir, ["manager", "create", owner.email], environment)).out.trim());
  secrets["token of the invitation"] = link.searchParams.get("token") ?? "";
  await browser.get(link.pathname + link.search);
  await browser.submit("/dashboard/setup", { ...owner, token: secrets["token of the invitation"], password });
  secrets["session of the set-up"] = browser.session();
  await manage(browser, secrets);
  await share(browser, secrets);
  await keepFiles(browser, file, secrets);
  await addNode(browser, secrets);
  await signInAgain(browser, secrets);

  await postroom(dataDir, ["backup", backup], environment);
  await mailsOut(dataDir);
  const { out, err } = await service.end("SIGKILL");
  secrets["token of the set-up link"] = /setup\?token=([\w-]{43})/.exec(out)?.[1] ?? "";
  return { secrets, out, err };
}

async function visitors(url: string, dataDir: string, secrets: Secrets) {
  const key = secrets["key of the command line"] ?? "";
  const post = (path: string, body: object) =>
    fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await post("/api/newsletter/subscribe", { email: "ada@example.com", name: "Ada" });
  await post("/api/contact", { name: "Ada", email: "ada@example.com", message: "Good morning to all of you." });
  for (const headers of [{ "x-api-key": key }, { "x-api-key": `${key}0` }, { authorization: `Bearer ${key}` }])
    await fetch(`${url}/api/v1/posts?x-api-key=${key}`, { headers });
  await fetch(`${url}/metrics?token=${environment.METRICS_TOKEN}`, {
    headers: { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${environment.METRICS_TOKEN}` },
  });
  const link = new URL(unsubscribeLink({ BASE_URL: url, ...environment, APP_SECRET_PREVIOUS: [] }, "ada@example.com"));
  secrets["token of the unsubscribe link"] = link.searchParams.get("token") ?? "";
  await mailsOut(dataDir); // the welcome mail, before its reader leaves
  await fetch(link);
  await fetch(link, { method: "POST" });
}

/** Waits until every mail is out. */
async function mailsOut(dataDir: string) {
  using sqlite = new Database(join(dataDir, "postroom.sqlite"), { readonly: true });
  const left = sqlite.query("select 1 from outbox where state = 'queued'");
  while (left.get()) await Bun.sleep(50);
}

const signatureIn = (url: string | null) => new URL(url ?? "").searchParams.get("X-Amz-Signature") ?? "";

/** Returns the id of a file that is there. */
async function uploads(url: string, secrets: Secrets): Promise<string> {
  const idempotencyKey = crypto.randomUUID();
  secrets["Idempotency-Key of an upload"] = idempotencyKey;
  const headers = {
    "content-type": "application/json",
    "x-api-key": secrets["key of the command line"] ?? "",
    "idempotency-key": idempotencyKey,
  };
  const reserve = async (body: object) =>
    (
      await fetch(`${url}/api/v1/storage/upload`, { method: "POST", headers, body: JSON.stringify(body) })
    ).json() as Promise<{
      data: { uploadUrl: string; _meta: { reservationId: string } } | null;
    }>;
  const { data } = await reserve({ filename: "a.txt", mimeType: "text/plain", size: 5, folderPath: "a/b" });
  const uploadUrl = data?.uploadUrl ?? "";
  secrets["signature of the upload"] = signatureIn(uploadUrl);
  await fetch(uploadUrl, { method: "PUT", body: "hello" });
  await fetch(uploadUrl.replace(/.$/, "0"), { method: "PUT", body: "hello" });
  await reserve({ filename: "a.txt", mimeType: "text/plain", size: 5 * 2 ** 40 });
  await fetch(`${url}/api/v1/storage/uploads`, { headers });
  const progress = `${url}/api/v1/storage/uploads/${data?._meta.reservationId}`;
  for (let i = 0; i < 100 && !(await (await fetch(progress, { headers })).text()).includes("completed"); i++)
    await Bun.sleep(100);
  return data?._meta.reservationId ?? "";
}

/** An upload in parts that is given up, and a file that is fetched: what a key gets URLs for. */
async function resumed(url: string, file: string, secrets: Secrets) {
  const headers = { "content-type": "application/json", "x-api-key": secrets["key of the command line"] ?? "" };
  const storage = `${url}/api/v1/storage`;
  const ask = async (path: string, body: object = {}) =>
    (await fetch(storage + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  const big = { filename: "b.bin", mimeType: "video/mp4", size: 1e9, multipart: true };
  const { data } = (await ask("/upload", big)) as { data: { _meta: { reservationId: string } } };
  const id = data._meta.reservationId;
  const signed = (await ask(`/uploads/${id}/parts`)) as { data: { parts: { url: string }[] } };
  for (const [at, part] of signed.data.parts.slice(0, 2).entries())
    secrets[`signature of part ${at + 1}`] = signatureIn(part.url);
  await fetch(signed.data.parts[0]?.url.replace(/.$/, "0") ?? "", { method: "PUT", body: "hello" });
  await fetch(`${storage}/uploads/${id}`, { method: "DELETE", headers });
  const download = await fetch(`${storage}/files/${file}/download`, { headers, redirect: "manual" });
  secrets["signature of the download"] = signatureIn(download.headers.get("location"));
}

/** The same in the dashboard: an upload, and the links to a file. */
async function keepFiles({ get, leadsTo, send }: Browser, file: string, secrets: Secrets) {
  const path = "/dashboard/storage";
  await get(path);
  const wanted = { filename: "c.bin", folderPath: "", mimeType: "video/mp4", size: 5 };
  const { id } = JSON.parse(await send(`${path}/uploads`, wanted)) as { id: string };
  const { urls } = JSON.parse(await send(`${path}/uploads/${id}/parts`, { numbers: [1] })) as {
    urls: Record<string, string>;
  };
  secrets["signature of a manager's upload"] = signatureIn(urls[1] ?? "");
  await send(`${path}/uploads/${id}/abort`, {});
  secrets["signature of a manager's download"] = signatureIn(await leadsTo(`${path}/files/${file}/download`));
  secrets["signature of the lasting address"] = signatureIn(await leadsTo(`/media/${file}/a.txt`));
  const link = valueOf(await get(`${path}/files/${file}/link`), 'id="link-url').replaceAll("&amp;", "&");
  secrets["signature of the link that is passed on"] = signatureIn(link);
}

/** A node whose form is not right at first: what was typed is shown again, but for its keys. */
async function addNode({ get, submit }: Browser, secrets: Secrets) {
  const path = "/dashboard/storage/nodes";
  const keys = { accessKey: "cellar-access", secretKey: "cellar-secret-that-nobody-sees-again" };
  secrets["key of the node"] = keys.secretKey;
  const node = { name: "cellar", endpoint: "http://127.0.0.1:1", publicEndpoint: "", region: "", bucket: "parcels" };
  await get(`${path}/new`);
  const again = await submit(path, { ...node, ...keys, capacity: "", staleUploadHours: "" });
  const tried = await submit(path, { ...node, ...keys, capacity: "1GB", staleUploadHours: "" });
  if (!tried.includes("ECONNREFUSED")) throw new Error("The node was not tried out");
  const shown = await submit(path, { ...node, ...keys, capacity: "1GB", staleUploadHours: "", force: "yes" });
  if (!again.includes("cellar") || !shown.includes("ECONNREFUSED")) throw new Error("The node was not added");
  if ((again + tried + shown).includes(keys.secretKey)) throw new Error("The node's secret key is on a page");
}

/** A draft that is shown to somebody by a link. */
async function share({ get, submit }: Browser, secrets: Secrets) {
  const fields = { title: "Not yet", slug: "", excerpt: "", coverImage: "", tags: "", author: "", publishedAt: "" };
  const page = await submit("/dashboard/posts/new", { ...fields, zone: "UTC", content: "Words", version: "0" });
  const path = /\/dashboard\/posts\/[\w-]{36}(?=\/preview-link)/.exec(page)?.[0] ?? "";
  const link = new URL(valueOf(await submit(`${path}/preview-link`, { days: "7" }), 'id="new-preview-link'));
  secrets["token of the preview link"] = link.searchParams.get("preview") ?? "";
  const shown = await get(link.pathname + link.search);
  if (!shown.includes('"title":"Not yet"')) throw new Error("The preview link shows nothing");
}

/** Settings, a key, an invitation, a second step: what managers do. */
async function manage(browser: Browser, secrets: Secrets) {
  const { get, submit } = browser;
  await submit("/dashboard/settings/site", { siteTitle: "Halvorsen", "siteTitle.stamp": "none" });
  const once = valueOf(await get("/dashboard/api-keys/new"), 'name="once');
  secrets["token of the form"] = once;
  const shown = await submit("/dashboard/api-keys", { once, name: "App" });
  secrets["key of the dashboard"] = /site_live_[0-9a-f]{32}/.exec(shown)?.[0] ?? "";
  const hookOnce = valueOf(await get("/dashboard/webhooks/new"), 'name="once');
  const endpoint = { once: hookOnce, name: "Blog", url: "https://hooks.example.com/" };
  secrets["secret of the webhook"] = /whsec_[\w+/=]+/.exec(await submit("/dashboard/webhooks", endpoint))?.[0] ?? "";
  const invited = await submit("/dashboard/managers/invite", { email: "bob@example.com", role: "manager" });
  secrets["token of Bob's invitation"] = /setup\?token=([\w-]{43})/.exec(invited)?.[1] ?? "";

  const offer = await get("/dashboard/account/second-step");
  const secret = valueOf(offer, 'id="totp-secret').replaceAll(" ", "");
  secrets["secret of the authenticator"] = secret;
  secrets["draft of the authenticator"] = valueOf(offer, 'name="draft');
  const codes = await submit("/dashboard/account/second-step", {
    draft: secrets["draft of the authenticator"],
    code: codeAt(secret, Math.floor(Date.now() / 30_000)),
  });
  for (const [at, [, code = ""]] of [...codes.matchAll(/<li>([a-z2-7]{5}-[a-z2-7]{5})<\/li>/g)].entries())
    secrets[`recovery code ${at + 1}`] = code;
}

async function signInAgain(browser: Browser, secrets: Secrets) {
  const { submit } = browser;
  await submit("/dashboard/sign-out", {});
  const { email } = owner;
  await submit("/dashboard/sign-in", { email, password: secrets["wrong password"] ?? "" });
  await submit("/dashboard/sign-in", { email: password, password: email }); // typed into the wrong fields
  const step = valueOf(await submit("/dashboard/sign-in", { email, password }), 'name="step');
  secrets["token of the second step"] = step;
  await submit("/dashboard/sign-in/code", { step, code: "000000" });
  const code = codeAt(secrets["secret of the authenticator"] ?? "", Math.floor(Date.now() / 30_000) + 1);
  await submit("/dashboard/sign-in/code", { step, code });
  secrets["session of the sign-in"] = browser.session();
  secrets["cookie of the device"] = browser.cookie("__Host-postroom-device");
}

type Browser = ReturnType<typeof createBrowser>;

/** Keeps cookies, and sends the form token of the last page along. */
function createBrowser(url: string) {
  const jar = new Map<string, string>();
  let token = "";

  async function go(path: string, init: RequestInit = {}): Promise<string> {
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const headers = { ...(cookie && { cookie }), "sec-fetch-site": "same-origin" };
    const answer = await fetch(url + path, { ...init, headers, redirect: "manual" });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    const text = await answer.text();
    token = valueOf(text, 'name="_token') || token;
    const location = answer.headers.get("location");
    return location ? go(location) : text;
  }

  return {
    get: (path: string) => go(path),
    submit: (path: string, fields: Record<string, string>) =>
      go(path, { method: "POST", body: new URLSearchParams({ _token: token, ...fields }) }),
    /** JSON, as scripts of our pages send it. */
    send: async (path: string, content: object) => {
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      const headers = { cookie, "sec-fetch-site": "same-origin", "x-form-token": token };
      const body = JSON.stringify(content);
      const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
      return (await fetch(url + path, init)).text();
    },
    leadsTo: async (path: string) => {
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      return (await fetch(url + path, { headers: { cookie }, redirect: "manual" })).headers.get("location");
    },
    cookie: (name: string) => jar.get(name) ?? "",
    session: () => jar.get("__Host-postroom") ?? "",
  };
}

/** The value of an input in a page. */
const valueOf = (page: string, mark: string) => new RegExp(`${mark}"[^>]*value="([^"]*)"`).exec(page)?.[1] ?? "";
