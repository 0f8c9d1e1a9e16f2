import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as reservations from "../../../db/storage/reservations";
import * as uploads from "../../../db/storage/uploads";
import { testService } from "../service";
import { openStorage } from "../../../src/storage";
import { connect } from "../../../src/storage/nodes/access";
import { maxPutBytesAt } from "../../../src/storage/nodes/configured";
import type { Grant } from "../../../src/storage/uploads/plan";
import { embedForTests } from "./storage";

export const path = "/api/v1/storage/upload";
export const file = { filename: "a.txt", mimeType: "text/plain", size: 5 };

type Added = { capacity?: number; bucket?: string; accessKey?: string; secretKey?: string };

/** A service with one key, its embedded node registered, and short words for what its uploads need. */
export async function start(database = ":memory:") {
  const service = await testService({}, database);
  const key = await service.key();
  await service.storage.nodes.open();
  const { db, clock, storage, config, log, now } = service;
  const embedded = await nodeNamed("embedded");

  async function nodeNamed(name: string) {
    const node = await storageNodes.byName(db, name);
    if (!node) throw new Error(`There is no node ${name}`);
    return node;
  }
  /** Another node with more room than the embedded one, so that it is asked first. */
  const addNode = async (name: string, endpoint: string, { capacity = 1e15, ...more }: Added = {}) => {
    const { region, bucket } = embedded;
    const node = { name, endpoint, publicEndpoint: endpoint, region, bucket, accessKey: "key", secretKey: "secret" };
    await storage.nodes.add({ ...node, ...more, capacityBytes: capacity }, { actor: "test" });
    return nodeNamed(name);
  };

  /** The embedded node again, under another address, with more room. */
  const nodeAt = async (name: string, endpoint: string, more: Partial<storageNodes.NewNode> = {}) => {
    const { region, bucket, accessKey, secret } = embedded;
    const node = { name, endpoint, publicEndpoint: endpoint, region, bucket, accessKey, secret };
    return storageNodes.register(db, { ...node, capacityBytes: 1e15, maxPutBytes: maxPutBytesAt(endpoint), ...more });
  };

  return {
    ...service,
    key,
    embedded,
    addNode,
    /** Another client. */
    anotherKey: () => service.key(),
    nodeNamed,
    nodeAt,
    s3: await connect(config, embedded, 60_000),
    request: (body: object = {}) => service.post(path, { ...file, ...body }, key),
    /** Requests a URL. */
    async grant(body: object = {}) {
      const answer = await service.post(path, { ...file, ...body }, key);
      const { data } = (await answer.json()) as { data: Grant };
      return data;
    },
    /** A row as `reserve` leaves it when the process dies right after. */
    async reserved() {
      const taken = await reservations.reserve(db, { ...file, folderPath: "" }, { tried: [] }, now());
      if (taken.outcome !== "reserved") throw new Error(taken.outcome);
      return taken.upload;
    },
    put: (url: string, body = "12345") => fetch(url, { method: "PUT", body }),
    after: async (milliseconds: number) => {
      clock.time += milliseconds;
      await storage.sweep();
    },
    state: async (id: string) => (await uploads.find(db, id))?.state,
    outcome: async (id: string) => (await uploads.find(db, id))?.outcome,
    bytes: async (name = "embedded") => {
      const { usedBytes, reservedBytes } = await nodeNamed(name);
      return { used: usedBytes, reserved: reservedBytes };
    },
    /** The same service with a storage that does not wait long, yet long enough for a server that answers. */
    impatient: () => openStorage({ config, db, log, now, embed: embedForTests, deadline: 2_000 }),
  };
}
