import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as reservations from "../../../db/storage/reservations";
import * as uploads from "../../../db/storage/uploads";
import type { testService } from "../service";
import { post, type Probe } from "./probe";
import { look } from "../look";

type Service = Awaited<ReturnType<typeof testService>>;

const area = "/api/v1/storage/uploads";
const file = { filename: "harbour.jpg", mimeType: "image/jpeg", size: 1_000 };
const calls = [
  ["GET", ""],
  ["POST", "/parts"],
  ["POST", "/url"],
  ["POST", "/complete"],
  ["POST", "/failed"],
  ["DELETE", ""],
] as const;

/** Every status of the calls that resume an upload. */
export async function resuming(service: Service): Promise<Probe[]> {
  const { key, send } = service;
  const headers = await key();
  const call = (method: string, path: string, status: number, id: string, body?: object): Probe => ({
    to: `${method} ${area}/{id}${path}`,
    status,
    at: `${area}/${id}${path}`,
    init: method === "POST" ? post(body ?? {}, headers) : { headers },
  });
  const reserve = async () => {
    const answer = await send("/api/v1/storage/upload", post(file, headers));
    return ((await answer.json()) as { data: { _meta: { reservationId: string } } }).data._meta.reservationId;
  };
  const [one, inParts, aborted, failed] = [await reserve(), await reserve(), await reserve(), await reserve()];
  const complete = await sent(service, headers);
  const stuck = await onDeadNode(service, headers);
  const list = (status: number, query = "", init: RequestInit = { headers }): Probe => ({
    ...{ to: `GET ${area}`, status, at: area + query, init },
  });
  return [
    list(200),
    list(200, "?limit=1"),
    list(400, "?limit=0"),
    list(401, "", {}),
    ...calls.map(([method, path]) => call(method, path, 404, "x", path === "/failed" ? { status: 0 } : {})),
    ...calls.map(([method, path]): Probe => ({ ...call(method, path, 401, "x"), init: { method } })),
    call("GET", "", 200, one),
    call("POST", "/url", 200, one),
    { ...call("POST", "/url", 400, one), init: post("x", { ...headers, "content-type": "text/plain" }) },
    call("POST", "/complete", 409, one),
    { ...call("POST", "/complete", 400, one), init: post("x", { ...headers, "content-type": "text/plain" }) },
    call("POST", "/parts", 200, inParts, { from: 1 }),
    call("POST", "/parts", 400, inParts, { from: 0 }),
    call("POST", "/url", 409, inParts),
    call("POST", "/complete", 200, complete),
    call("POST", "/failed", 409, complete, { status: 507 }),
    call("POST", "/failed", 200, failed, { status: 500, code: "InternalError" }),
    call("POST", "/failed", 400, failed, { status: "none" }),
    call("DELETE", "", 409, complete),
    call("DELETE", "", 200, aborted),
    call("POST", "/parts", 409, aborted),
    call("POST", "/parts", 502, stuck, { numbers: [1] }),
    call("POST", "/complete", 502, stuck),
    call("POST", "/url", 502, stuck),
  ];
}

/** An upload whose bytes are all there. */
async function sent({ send }: Service, headers: Record<string, string>): Promise<string> {
  const answer = await send("/api/v1/storage/upload", post({ ...file, size: 5 }, headers));
  const { data } = (await answer.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
  await fetch(data.uploadUrl, { method: "PUT", body: "12345" });
  return data._meta.reservationId;
}

/** An upload on a node that has stopped answering since. */
async function onDeadNode({ db, now }: Service, headers: Record<string, string>): Promise<string> {
  const dead = "http://127.0.0.1:1";
  const access = { endpoint: dead, publicEndpoint: dead, region: "x", bucket: "x", accessKey: "x", secret: "x" };
  await storageNodes.register(db, { ...access, name: "dead", capacityBytes: 1e15, maxPutBytes: 1e15 });
  const apiKeyId = (
    await look(db, "select id from api_keys where last_four = ?", [headers["x-api-key"]?.slice(-4) ?? ""])
  )[0] as {
    id: string;
  };
  const taken = await reservations.reserve(
    db,
    { ...file, folderPath: "", apiKeyId: apiKeyId.id },
    { tried: [] },
    now(),
  );
  if (taken.outcome !== "reserved") throw new Error(taken.outcome);
  await uploads.markOpen(db, { id: taken.upload.id, providerUploadId: "lost" }, now());
  await look(db, "update storage_nodes set state = 'draining' where name = 'dead'"); // for the probes to come
  return taken.upload.id;
}

/** The same calls with a key that is used up, or without a database. */
export const allRefused = (status: number, headers: Record<string, string>): Probe[] => [
  { to: `GET ${area}`, status, init: { headers } },
  ...calls.map(([method, path]) => ({
    to: `${method} ${area}/{id}${path}`,
    status,
    at: `${area}/x${path}`,
    init: method === "POST" ? post({}, headers) : { headers },
  })),
];
