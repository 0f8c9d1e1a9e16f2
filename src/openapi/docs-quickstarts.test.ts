import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { writeCode } from "../../test/support/client/build";
import { connected, fillSite } from "../../test/support/client/connected";
import { temporaryFolder } from "../../test/support/processes";
import { nextPeer, testService } from "../../test/support/service";
import { look } from "../../test/support/look";
import { quickstarts } from "./docs-quickstarts";

const stepsOf = (slug: string) => quickstarts.find((quickstart) => quickstart.slug === slug)?.steps ?? [];

/** What a browser sends when these fields are filled in. */
function submission(form: string, baseUrl: string, values: Record<string, string>) {
  const [, action = ""] = /action="([^"]*)"/.exec(form.replace("{baseUrl}", baseUrl)) ?? [];
  const body = new URLSearchParams();
  for (const [tag, name = ""] of form.matchAll(/<(?:input|textarea)\b[^>]*?\bname="(\w+)"[^>]*>/g)) {
    const [, value = ""] = /\bvalue="([^"]*)"/.exec(tag) ?? [];
    body.set(name, values[name] ?? value);
  }
  return { action, body };
}

test("the HTML forms work from an origin that is allowed, and from no other", async () => {
  const origin = "https://example.com";
  const { db, config, send } = await testService({ CORS_ORIGINS: origin });
  const values = { name: "Ada Ferris", email: "ada@example.com", message: "Hello, I liked the essay." };
  for (const id of ["newsletter", "contact"]) {
    const form = stepsOf("html").find((step) => step.id === id)?.code ?? "";
    const { action, body } = submission(form, config.BASE_URL, values);
    const from = (site: string) => send(action, { method: "POST", body, headers: { origin: site } }, nextPeer());
    expect([id, (await from("https://other.example")).status]).toEqual([id, 400]);
    expect([id, (await from(origin)).ok]).toEqual([id, true]);
  }
  expect(await look(db, "select email, source from subscribers")).toEqual([
    { email: "ada@example.com", source: "landing" },
  ]);
  expect(await look(db, "select name, source, message from messages")).toEqual([
    { name: values.name, source: "landing", message: values.message },
  ]);
});

/** As much of each framework as the examples use. */
const stubs: Record<string, string> = {
  "next/headers.js": `export const headers = async () => new Headers({ "x-forwarded-for": "10.0.0.1, 203.0.113.7", "user-agent": "Firefox", referer: "https://search.example/" });`,
  "next/navigation.js": `export const notFound = () => { throw new Error("404"); };`,
  "react/jsx-dev-runtime.js": `export const jsxDEV = (type, { children, dangerouslySetInnerHTML: { __html } = {} }) => [__html ?? children].flat(9).join("");`,
  "marked/index.js": `export const marked = { parse: (text) => \`<p>\${text}</p>\` };`,
  "@sveltejs/kit/index.js": `export const error = (status) => { throw new Error(String(status)); };`,
  "env/index.js": `export const env = process.env;`,
  "hono/index.js": `export class Hono { routes = {}; get(path, handler) { this.routes[path] = handler; } post(path, handler) { this.routes["POST " + path] = handler; } }`,
  "hono/html.js": `export const html = (strings, ...values) => strings.map((text, i) => text + [values[i] ?? ""].flat().join("")).join(""), raw = String;`,
  "hono/bun.js": `export const getConnInfo = () => ({ remote: { address: "203.0.113.7" } });`,
};

/** Each prints the titles of a list, then of a post, then what a post that is not there becomes, then what visitors are told who subscribe. */
const programs: Record<string, string> = {
  astro: `
    import { page as list } from "./src/pages/index.astro";
    import { page } from "./src/pages/posts/[slug].astro";
    import { page as newsletter } from "./src/pages/newsletter.astro";
    const show = (slug) => page({
      params: { slug }, clientAddress: "203.0.113.7",
      request: new Request("http://x/", { headers: { "user-agent": "Firefox", referer: "https://search.example/" } }),
    });
    console.log((await list()).items.map(({ title }) => title).join(""));
    const { post, html } = await show("post-1");
    console.log(post.title + html);
    console.log((await show("none")).status);
    const send = (body) => newsletter({
      clientAddress: "203.0.113.7", request: new Request("http://x/", { method: "POST", body, headers: { "user-agent": "Firefox", referer: "https://search.example/" } }),
    });
    for (const body of forms) console.log((await send(body)).message);`,
  next: `
    import List from "./app/page";
    import Page from "./app/posts/[slug]/page";
    import { send } from "./app/actions";
    const show = (slug) => Page({ params: Promise.resolve({ slug }) });
    console.log(await List());
    console.log(await show("post-1"));
    await show("none").catch(({ message }) => console.log(message));
    for (const body of forms) console.log(await send("", body));`,
  hono: `
    import app from "./src/index";
    const context = (slug) => ({
      html: (value) => value.replace(/<[^p]+?>|<a href="[^"]*">/g, ""), notFound: () => 404,
      req: { param: () => slug, raw: new Request("http://x/", { headers: { "user-agent": "Firefox", referer: "https://search.example/" } }) },
    });
    console.log(await app.routes["/"](context()));
    console.log(await app.routes["/posts/:slug"](context("post-1")));
    console.log(await app.routes["/posts/:slug"](context("none")));
    const submit = (form) => ({ ...context(), html: String, req: { ...context().req, formData: async () => form } });
    for (const body of forms)
      console.log(/role="status">(.*?)[<]/.exec(await app.routes["POST /newsletter"](submit(body)))[1]);`,
  sveltekit: `
    import { load as list } from "./src/routes/+page.server";
    import { load } from "./src/routes/posts/[slug]/+page.server";
    import { actions } from "./src/routes/newsletter/+page.server";
    const show = (slug) => load({
      params: { slug }, getClientAddress: () => "203.0.113.7",
      request: new Request("http://x/", { headers: { "user-agent": "Firefox", referer: "https://search.example/" } }),
    });
    console.log((await list()).posts.map(({ title }) => title).join(""));
    const { post, html } = await show("post-1");
    console.log(post.title + html);
    await show("none").catch(({ message }) => console.log(message));
    const send = (body) => actions.default({
      getClientAddress: () => "203.0.113.7", request: new Request("http://x/", { method: "POST", body }),
    });
    for (const body of forms) console.log((await send(body)).message);`,
};

/** What visitors send: an address, and something else. */
const forms = `
    const forms = ["ada@example.com", "ada"].map((email) => {
      const form = new FormData();
      form.set("email", email);
      return form;
    });`;

/** A file of an example as a module. The script of an Astro page is its function, with all its names as the result. */
function moduleOf(file: string, code: string): string {
  if (!file.endsWith(".astro")) return code;
  const [, script = "", markup = ""] = /^---\n([^]*?)---\n([^]*)/.exec(code) ?? [];
  const isImport = (line: string) => /^(import|export) /.test(line);
  const lines = script.split("\n");
  const result = ["{ items }", "{ message }", "{ post, html }"].find((one) => markup.includes(`{${one.slice(2, 6)}`));
  const body = lines.filter((line) => !isImport(line)).join("\n");
  return `${lines.filter(isImport).join("\n")}\nexport async function page(Astro) {\n${body}\nreturn ${result};\n}`;
}

test.each(Object.keys(programs))(
  "the quickstart for %s lists posts, shows one, says 404, and subscribes visitors",
  async (slug) => {
    await using site = await connected();
    await fillSite(site.service);
    using folder = temporaryFolder();
    await writeCode(join(folder.path, "node_modules/postroom"));
    for (const [name, text] of Object.entries(stubs)) await Bun.write(join(folder.path, "node_modules", name), text);
    for (const { file, code } of stepsOf(slug).filter((step) => /\/.*\.(ts|tsx|astro)$/.test(step.file))) {
      const up = "../".repeat(dirname(file).split("/").length);
      const text = moduleOf(file, code)
        .replace("{baseUrl}", site.url)
        .replace("$lib/", `${up}src/lib/`)
        .replace("$env/dynamic/private", "env");
      await Bun.write(join(folder.path, file.replace(/\.astro$/, ".astro.ts")), text);
    }
    await Bun.write(join(folder.path, "main.ts"), `${forms}\n${programs[slug]}`);
    const { POSTROOM_KEY: _, ...others } = process.env;
    const run = Bun.spawn([process.execPath, "main.ts"], {
      cwd: folder.path,
      env: { ...others, POSTROOM_KEY: site.key },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [printed, problems] = await Promise.all([run.stdout.text(), run.stderr.text()]);
    expect(problems).toBe("");
    const told = ["Thank you for subscribing.", "The email address must be a valid email address."];
    expect(printed.trim().split("\n")).toEqual(["Post 1Post 2Post 3Post 4Post 5", "Post 1<p>Text</p>", "404", ...told]);
    const named = site.requests.filter(({ headers }) => headers.get("postroom-visitor-address") === "203.0.113.7");
    expect(named.length).toBeGreaterThan(0);
    const view = named.find(({ path }) => path.startsWith("/api/posts/"));
    const passedOn = ["agent", "referrer"].map((name) => view?.headers.get(`postroom-visitor-${name}`));
    expect(passedOn).toEqual(["Firefox", "https://search.example/"]);
  },
);
