import type { Sample } from "../../views/docs/endpoint";
import client from "./docs-snippets/client.ts.txt" with { type: "text" };
import verifyGo from "./docs-snippets/verify.go.txt" with { type: "text" };
import verifyPython from "./docs-snippets/verify.py.txt" with { type: "text" };
import verifyTypescript from "./docs-snippets/verify.ts.txt" with { type: "text" };

/** A request as an example shows it, with the values of its path and body. */
export type ExampleRequest = {
  operationId: string;
  method: string;
  baseUrl: string;
  /** The path with `{slug}` or `{id}` for the values in `path`. */
  route: string;
  path: Record<string, string>;
  isKeyed: boolean;
  takesIdempotencyKey: boolean;
  body?: unknown;
};

/**
 * The client's methods by operation; `body`, or a part of it, and the names in the path are filled in. Others have no
 * such example.
 */
const methods: Record<string, string> = {
  subscribe: "newsletter.subscribe(body)",
  sendContactMessage: "contact.send(body)",
  getPost: "posts.get(slug)",
  visitProject: "projects.visitUrl(slug)",
  listPosts: "posts.list()",
  listProjects: "projects.list()",
  getProject: "projects.get(slug)",
  getSettings: "settings.get()",
  listBroadcasts: "newsletter.broadcasts.list()",
  getBroadcast: "newsletter.broadcasts.get(slug)",
  listSubscribers: "newsletter.subscribers.list()",
  createSubscriber: "newsletter.subscribers.create(body)",
  createSubscribers: "newsletter.subscribers.createMany(body.subscribers)",
  getSubscriber: "newsletter.subscribers.get(id)",
  updateSubscriber: "newsletter.subscribers.update(id, body)",
  eraseSubscriber: "newsletter.subscribers.erase(id)",
  createUpload: "uploads.create(body)",
  listUploads: "uploads.list()",
  getUpload: "uploads.get(id)",
  abortUpload: "uploads.abort(id)",
  createPartUrls: "uploads.partUrls(id, body)",
  renewUploadUrl: "uploads.renewUrl(id)",
  completeUpload: "uploads.complete(id)",
  reportUploadFailure: "uploads.reportFailure(id, body)",
  listFiles: "files.list()",
  getFile: "files.get(id)",
  deleteFile: "files.delete(id)",
  updateFile: "files.update(id, body)",
  createFileLink: "files.link(id, body)",
  downloadFile: 'call("downloadFile", { path: { id } })',
  getRssFeed: "feeds.rss()",
  getAtomFeed: "feeds.atom()",
  getSitemap: "feeds.sitemap()",
  getArchiveFeed: "feeds.newsletter()",
  getLiveness: "health.live()",
  getReadiness: "health.ready()",
};

/** The same request in each language: in curl alone, if the client has no method for it. */
export function samplesOf(request: ExampleRequest, curl: string): Sample[] {
  const first: Sample = { language: "curl", code: curl };
  const method = methods[request.operationId];
  if (!method) return [first];
  return [
    first,
    { language: "TypeScript", code: typescript(request, method) },
    { language: "Python", code: python(request) },
    { language: "Go", code: go(request) },
  ];
}

function typescript({ baseUrl, path, isKeyed, body }: ExampleRequest, method: string): string {
  const setup = client.replace("{baseUrl}", baseUrl).trimEnd();
  const literal = (value: unknown) => indented(value, 2).replace(/^( *)"(\w+)":/gm, "$1$2:");
  return lines(
    isKeyed ? setup : setup.replace(/ {2}key: .*\n/, ""),
    ...Object.entries(path).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`),
    `const result = await postroom.${method.replace(/\bbody(?:\.(\w+))?/, (_, part?: string) =>
      literal(part === undefined ? body : Object(body)[part]),
    )};`,
  );
}

/** JSON in lines, but a list of words in one. */
const indented = (value: unknown, spaces: number) =>
  (JSON.stringify(value, null, spaces) ?? "").replace(
    /\[\n *([^[\]{}]*?)\n *\]/g,
    (_, words: string) => `[${words.replace(/\n */g, " ")}]`,
  );

/** JSON as Python writes it. */
const pythonLiteral = (value: unknown) =>
  indented(value, 4).replace(/(?<=: |^ *)(true|false|null)(?=,?$)/gm, (word) =>
    word === "null" ? "None" : word.charAt(0).toUpperCase() + word.slice(1),
  );

function python({ method, baseUrl, route, path, isKeyed, takesIdempotencyKey, body }: ExampleRequest): string {
  const headers = [
    isKeyed && '"x-api-key": os.environ["POSTROOM_KEY"]',
    takesIdempotencyKey && '"Idempotency-Key": str(uuid.uuid4())',
  ].filter(Boolean);
  return lines(
    isKeyed && "import os",
    takesIdempotencyKey && "import uuid",
    "import requests",
    "",
    ...Object.entries(path).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    `response = requests.${method.toLowerCase()}(`,
    `    ${route.includes("{") ? "f" : ""}"${baseUrl}${route}",`,
    headers.length > 0 && `    headers={${headers.join(", ")}},`,
    body !== undefined && `    json=${pythonLiteral(body).replaceAll("\n", "\n    ")},`,
    ")",
    "print(response.status_code, response.text)",
  );
}

function go({ method, baseUrl, route, path, isKeyed, takesIdempotencyKey, body }: ExampleRequest): string {
  const hasBody = body !== undefined;
  const packages = [
    takesIdempotencyKey && "crypto/rand",
    "io",
    "log",
    "net/http",
    isKeyed && "os",
    hasBody && "strings",
  ];
  const url = `"${baseUrl}${route.replace(/\{(\w+)\}/g, '"+$1+"')}"`.replace(/\+""$/, "");
  return lines(
    "package main\n\nimport (",
    ...packages.filter(Boolean).map((name) => `\t"${name}"`),
    ")\n\nfunc main() {",
    ...Object.entries(path).map(([name, value]) => `\t${name} := ${JSON.stringify(value)}`),
    hasBody && `\tbody := strings.NewReader(\`${JSON.stringify(body)}\`)`,
    `\trequest, err := http.NewRequest("${method}", ${url}, ${hasBody ? "body" : "nil"})`,
    goStop,
    hasBody && '\trequest.Header.Set("Content-Type", "application/json")',
    isKeyed && '\trequest.Header.Set("x-api-key", os.Getenv("POSTROOM_KEY"))',
    takesIdempotencyKey && '\trequest.Header.Set("Idempotency-Key", rand.Text())',
    "\tresponse, err := http.DefaultClient.Do(request)",
    goStop,
    "\tdefer response.Body.Close()",
    "\ttext, err := io.ReadAll(response.Body)",
    goStop,
    "\tlog.Println(response.Status, string(text))",
    "}",
  );
}

const goStop = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}";

const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join("\n");

/** How a receiver verifies a call of a webhook. */
export const verification: Sample[] = [
  { language: "TypeScript", code: verifyTypescript.trimEnd() },
  { language: "Python", code: verifyPython.trimEnd() },
  { language: "Go", code: verifyGo.trimEnd() },
];
