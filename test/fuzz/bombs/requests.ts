import { inFile, inForm, inMultipart } from "./forms";
import { hostileJson, hostileText, words } from "./material";
import type { Random } from "./random";
import { fieldNames, headerNames, kilobyte, queryNames, typed, usual } from "./usual";

export type Role = "stranger" | "key" | "manager";
export type Route = { method: string; path: string; /** What its schema knows of the body. */ fields: string[] };
export type Bomb = { role: Role; what: string; hostile: Sent; ordinary: Sent };
/** A request without what its sender adds: key, session, form token. */
export type Sent = { method: string; url: string; headers: Record<string, string>; body?: string | Carried };
/** What a form carries beside its token. */
export type Carried = { fields: [string, string | File][]; as: "form" | "multipart" };

const json = { "content-type": "application/json" };

const headRoom = 12 * kilobyte; // of Bun's 16 KB for the request line and all headers

/** A request that should cost no more than an ordinary one of the same length, and that ordinary one. */
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

export type Pair = Omit<Bomb, "role">;

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
  const length = random.of([60, 180, kilobyte, 20 * kilobyte, 58 * kilobyte, 58 * kilobyte]);
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

const inBodies = [inBody, inBody, inBody, inForm, inForm, inForm, inMultipart];

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
