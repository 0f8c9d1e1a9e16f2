import { hostileCsv, hostileJson, hostilePost, hostileText, hostileZip, words } from "./material";
import type { Random } from "./random";

export type Role = "stranger" | "key" | "manager";
export type Route = { method: string; path: string; /** What its schema knows of the body. */ fields: string[] };
export type Bomb = { role: Role; what: string; hostile: Sent; ordinary: Sent };
/** A request without what its sender adds to it: key, session, form token. */
export type Sent = { method: string; url: string; headers: Record<string, string>; body?: string | Carried };
/** What a form carries beside its token. */
export type Carried = { fields: [string, string | File][]; as: "form" | "multipart" };

const kilobyte = 1_000;
const json = { "content-type": "application/json" };

/** What a request of ours says, where nothing hostile stands. Each route takes what it knows. */
const usual: Record<string, string> = {
  ...{
    email: "ada@example.com",
    name: "Ada Ferris",
    message: "Good morning to all of you.",
    source: "blog",
    website: "",
  },
  ...{ title: "A post", slug: "", excerpt: "", content: "Words.", coverImage: "", author: "Ada", tags: "a, b" },
  ...{ publishedAt: "", zone: "UTC", version: "1", tech: "a, b", description: "Words.", imageUrl: "", liveUrl: "" },
  ...{ githubUrl: "", status: "DRAFT", was: "{}", days: "7", ids: "a", all: "", filter: "", do: "trash", typed: "a" },
  ...{
    confirmed: "yes",
    moved: "1",
    stamp: "a",
    to: "1",
    key: "about",
    value: "Words.",
    in: "",
    path: "a",
    upload: "a",
  },
  ...{ filename: "a.txt", into: "a", code: "123456", step: "a", next: "/dashboard", token: "a", current: "a" },
  ...{ password: "violet otter sings", role: "editor", q: "words", endpoint: "http://127.0.0.1:9", bucket: "a-bucket" },
  ...{ accessKey: "a", secretKey: "a", publicEndpoint: "", capacity: "1 GB", region: "", staleUploadHours: "24" },
  ...{
    siteTitle: "A",
    siteDescription: "A",
    draft: "yes",
    timeZone: "UTC",
    theme: "dark",
    was_slug: "",
    folderPath: "",
  },
};
const fieldNames = Object.keys(usual);
const queryNames = [
  "q",
  "tag",
  "cursor",
  "limit",
  "page",
  "per",
  "sort",
  "state",
  "source",
  "folder",
  "email",
  "token",
  "next",
  "preview",
  "from",
  "ids",
  "path",
  "in",
  "slug",
] as const;
const headerNames = [
  "x-forwarded-for",
  "if-none-match",
  "idempotency-key",
  "range",
  "cookie",
  "accept-encoding",
  "accept",
  "accept-language",
  "content-type",
  "origin",
  "authorization",
  "x-api-key",
  "user-agent",
  "sec-purpose",
  "hx-current-url",
  "hx-request-type",
  "x-form-token",
  "referer",
  "if-modified-since",
  "forwarded",
] as const;
const headRoom = 12 * kilobyte; // of Bun's 16 KB for the request line and all headers

/** One request that should cost no more than an ordinary one of its length, and that ordinary one. */
export function bombFor(
  random: Random,
  { method, path, fields }: Route,
  idOf: (name: string, path: string) => string,
): Bomb {
  const url = path.replace(/:(\w+)/g, (_, name: string) => idOf(name, path)).replace("*", "x");
  const plain: Sent = { method, url, headers: {} };
  const make = random.of(method === "POST" ? [...inBodies, inQuery, inHeader] : [inQuery, inQuery, inHeader, inPath]);
  const isImport = /\/import\/?$/.test(path) && method === "POST";
  return { role: random.of(rolesAt(path)), ...(isImport ? inFile(random, plain) : make(random, plain, path, fields)) };
}

function rolesAt(path: string): Role[] {
  if (path.startsWith("/api/v1")) return ["key", "key", "key", "stranger"];
  if (!path.startsWith("/dashboard") || /\/(sign-in|setup|reset)(\/|$)/.test(path)) return ["stranger"];
  return ["manager", "manager", "manager", "manager", "manager", "manager", "manager", "stranger"];
}

type Pair = Omit<Bomb, "role">;

function inQuery(random: Random, plain: Sent): Pair {
  const length = random.of([200, 2 * kilobyte, headRoom]);
  const name = random.of(queryNames);
  const text = encodeURIComponent(hostileText(random, length).toWellFormed()).slice(0, length).replace(/%.?$/, "");
  const shape = random.of([
    `${name}=${text}`,
    `${name}=${hostileText(random, length)
      .toWellFormed()
      .replace(/[^!-~]|#/g, "+")}`.slice(0, length),
    `${name}=&`.repeat(length / (name.length + 2)),
    Array.from({ length: length / 5 }, (_, n) => `${n.toString(36)}=`).join("&"),
    `${name}[]=1&`.repeat(length / 10),
  ]);
  return pair(
    `query ${name}`,
    plain,
    (query) => ({ url: `${plain.url}?${query}` }),
    shape,
    `q=${encodeURIComponent(words(length))}`.slice(0, shape.length).replace(/%.?$/, ""),
  );
}

function inHeader(random: Random, plain: Sent): Pair {
  const name = random.of(headerNames);
  const length = random.of([200, headRoom]);
  const text =
    hostileText(random, length)
      .replace(/[^ -~]/g, "a")
      .trim() || "a";
  return pair(
    `header ${name}`,
    plain,
    (value) => ({ headers: { [name]: value } }),
    text,
    words(text.length).replace(/[^a-z]/g, "a"),
  );
}

function inPath(random: Random, plain: Sent, path: string): Pair {
  const length = random.of([200, headRoom]);
  const piece =
    encodeURIComponent(hostileText(random, length).toWellFormed()).slice(0, length).replace(/%.?$/, "") || "a";
  const at = (text: string) => (path.includes(":") ? path.replace(/:\w+/g, text) : `${path}/${text}`);
  return pair(
    "path",
    plain,
    (text) => ({ url: at(text).replace(/^\/+/, "/") }),
    random.of([piece, "a/".repeat(length / 2)]),
    "a".repeat(piece.length),
  );
}

/** JSON: as a whole, or as one field of what else is right. */
function inBody(random: Random, plain: Sent, _: string, fields: string[]): Pair {
  const length = random.of([kilobyte, 20 * kilobyte, 58 * kilobyte, 58 * kilobyte]);
  const text = JSON.stringify(hostileText(random, length));
  const value = random.of([hostileJson(random, length), text, text]);
  const said = (body: string) => ({ headers: json, body });
  if (random.below(4) === 0) return pair("JSON", plain, said, value, JSON.stringify({ message: words(value.length) }));
  const field = random.of(fields.length ? fields : [...fieldNames, "response", "files", "names"]);
  const others = (fields.length ? fields : fieldNames).filter((name) => name !== field);
  const rest = others.map((name) => `,${JSON.stringify(name)}:${JSON.stringify(typed[name] ?? usual[name] ?? null)}`);
  const whole = (put: string) => said(`{${JSON.stringify(field)}:${put}${rest.join("")}}`);
  return pair(`JSON ${field}`, plain, whole, value, JSON.stringify(words(Buffer.byteLength(value) - 2)));
}

const typed: Record<string, unknown> = {
  size: 5,
  mimeType: "text/plain",
  numbers: [1],
  multipart: null,
  from: null,
  to: null,
};

const inBodies = [inBody, inBody, inBody, inForm, inForm, inForm, inMultipart];

/** Bytes that the route takes of the hostile part, beside what else is in the form. */
const roomIn = ({ url }: Sent) => (url.startsWith("/dashboard/posts/") ? 1_200 * kilobyte : 45 * kilobyte);

const lengthOfForm = (random: Random, { url }: Sent) =>
  random.of(
    url.startsWith("/dashboard/posts/")
      ? [20 * kilobyte, 60 * kilobyte, 400 * kilobyte]
      : [kilobyte, 20 * kilobyte, 40 * kilobyte],
  );

/** A form with one hostile field, or with thousands of fields. */
function inForm(random: Random, plain: Sent, _: string, fields: string[]): Pair {
  const length = lengthOfForm(random, plain);
  const field = random.of(fields.length ? fields : ["title", "content", "content", ...fieldNames]);
  const many = random.of([
    [[field, hostileText(random, length)]],
    [[field, hostileText(random, length)]],
    [[field, hostileJson(random, length)]],
    Array.from({ length: length / 20 }, () => [field, "a"]),
    Array.from({ length: length / 20 }, (_, n) => [n.toString(36), "a"]),
    Array.from({ length: length / 40 }, (_, n) => [`${field}[${n}]`, "a"]),
    [[field + "[a]".repeat(length / 6), "a"]],
  ] as Fields[]);
  return forms(`form ${field}`, plain, field, many, "form");
}

function inMultipart(random: Random, plain: Sent): Pair {
  const length = lengthOfForm(random, plain) / 4;
  const field = random.of(fieldNames);
  const many = random.of([
    [[field, hostileText(random, length).toWellFormed()]],
    Array.from({ length: length / 200 }, (_, n) => [random.of([field, String(n)]), "a"]),
  ] as Fields[]);
  return forms(`multipart ${field}`, plain, field, many, "multipart");
}

type Fields = [string, string][];

function forms(what: string, plain: Sent, field: string, hostile: Fields, as: Carried["as"]): Pair {
  const rest = Object.entries(usual).filter(([name]) => name !== field);
  const sent = (fields: Fields): Sent => ({ ...plain, body: { as, fields: [...rest, ...fields] } });
  const fitting = cut(hostile, roomIn(plain), as);
  const ordinary = words(fitting.reduce((sum, pair) => sum + bytesOf(pair, as), 0) * (as === "form" ? 0.8 : 1)); // a comma weighs three
  return { what, hostile: sent(fitting), ordinary: sent([[field, ordinary]]) };
}

/** As many of the fields, and as much of the first, as there is room for. */
function cut(fields: Fields, room: number, as: Carried["as"]): Fields {
  const [[name, value] = ["", ""], ...more] = fields;
  const share = Math.min(1, room / bytesOf([name, value], as));
  let left = room - bytesOf([name, value], as);
  return [
    [name.slice(0, Math.floor(name.length * share)), value.slice(0, Math.floor(value.length * share))],
    ...more.filter((pair) => (left -= bytesOf(pair, as)) > 0),
  ];
}

const bytesOf = ([name, value]: [string, string], as: Carried["as"]) =>
  as === "form" ? String(new URLSearchParams([[name, value]])).length + 1 : Buffer.byteLength(name + value) + 120;

/** The files that managers import: posts, archives of them, and lists of people. */
function inFile(random: Random, plain: Sent): Pair {
  const length = random.of([60 * kilobyte, 500 * kilobyte, 1_000 * kilobyte]);
  const send = (name: string, content: string | Uint8Array<ArrayBuffer>): Sent => ({
    ...plain,
    body: {
      as: "multipart",
      fields: [
        ["file", new File([content], name)],
        ["files", new File([content], name)],
      ],
    },
  });
  if (plain.url.includes("newsletter")) {
    const row = "someone@example.com,Ada Ferris\n";
    return {
      what: "CSV",
      hostile: send("a.csv", hostileCsv(random, length)),
      ordinary: send("a.csv", `email,name\n${row.repeat(length / row.length)}`),
    };
  }
  const ordinary = send("a.md", `---\ntitle: A\n---\n${words(length)}`);
  if (random.below(4) === 0) return { what: "ZIP", hostile: send("a.zip", hostileZip(random, length)), ordinary };
  return { what: "MDX", hostile: send("a.md", hostilePost(random, length).toWellFormed()), ordinary };
}

const pair = (
  what: string,
  plain: Sent,
  put: (text: string) => Partial<Sent>,
  hostile: string,
  ordinary: string,
): Pair => ({
  what,
  hostile: { ...plain, ...put(hostile) },
  ordinary: { ...plain, ...put(ordinary) },
});
