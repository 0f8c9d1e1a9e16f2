import * as subscribers from "../../../db/newsletter/subscribers";
import type { testService } from "../service";
import { post, type Probe } from "./probe";

type Service = Awaited<ReturnType<typeof testService>>;
type Headers = Record<string, string>;

const area = "/api/v1/subscribers";
const calls = [
  ["GET", ""],
  ["POST", ""],
  ["GET", "/{id}"],
  ["POST", "/batch"],
  ["PATCH", "/{id}"],
  ["DELETE", "/{id}"],
] as const;

const call = (method: string, path: string, status: number, id: string, headers: Headers = {}): Probe => ({
  to: `${method} ${area}${path}`,
  status,
  at: (area + path).replace("{id}", id),
  init: path === "/batch" ? post({ subscribers: [named("many@example.com"), {}] }, headers) : init(method, headers),
});

function init(method: string, headers: Headers): RequestInit {
  if (method === "POST") return post(named("new@example.com"), headers);
  return method === "PATCH" ? { ...post({ name: "Ada" }, headers), method } : { method, headers };
}

const consent = { how: "Box ticked in the shop", at: "2026-11-20T10:00:00Z" };
const named = (email: string) => ({ email, consent });

/** The calls on subscribers, with a key that is used up, or without a database. */
export const peopleRefused = (status: number, headers: Headers): Probe[] =>
  calls.map(([method, path]) => call(method, path, status, "x", headers));

const once = { "idempotency-key": "one" };
const bodyOf = (path: string, name: string) =>
  path ? { subscribers: [named(`${name}@example.org`)] } : named(`${name}@example.net`);

/** Every status of the calls on subscribers. */
export async function keyedPeople({ db, key, now }: Service): Promise<Probe[]> {
  const headers = await key("People", ["newsletter:write"]);
  for (const email of ["one@example.com", "two@example.com"])
    await subscribers.subscribe(db, { email }, { via: "form" }, now());
  const { id = "" } = (await subscribers.byEmail(db, "one@example.com")) ?? {};
  const others = await key("Others", ["newsletter:write"]);
  const gone: string[] = [];
  for (let n = 0; n < 61; n++) {
    const { subscriber } = await subscribers.subscribe(db, { email: `${n}@example.com` }, { via: "form" }, now());
    gone.push(subscriber?.id ?? "");
  }
  return [
    ...peopleRefused(401, {}),
    call("GET", "", 200, "", headers),
    { ...call("GET", "", 200, "", headers), at: `${area}?limit=1&count=true` },
    { ...call("GET", "", 400, "", headers), at: `${area}?limit=0` },
    call("POST", "", 201, "", headers),
    call("POST", "", 200, "", headers),
    { ...call("POST", "", 400, ""), init: post({ email: "new@example.com" }, headers) },
    call("GET", "/{id}", 200, id, headers),
    call("GET", "/{id}", 404, "x", headers),
    call("PATCH", "/{id}", 404, "x", headers),
    call("DELETE", "/{id}", 404, "x", headers),
    call("POST", "/batch", 200, "", headers),
    { ...call("POST", "/batch", 400, ""), init: post({ subscribers: {} }, headers) },
    ...["", "/batch"].flatMap((rest) => [
      { ...call("POST", rest, rest ? 200 : 201, ""), init: post(bodyOf(rest, "a"), { ...headers, ...once }) },
      { ...call("POST", rest, 409, ""), init: post(bodyOf(rest, "b"), { ...headers, ...once }) },
    ]),
    call("PATCH", "/{id}", 200, id, headers),
    { ...call("PATCH", "/{id}", 400, id), init: { ...post({ status: "active" }, headers), method: "PATCH" } },
    ...gone.map((each, n) => call("DELETE", "/{id}", n < 60 ? 202 : 429, each, others)),
  ];
}
