import { z } from "zod";
import type { Db } from "../../db";
import * as audit from "../../db/audit";
import * as storageNodes from "../../db/storage-nodes";
import { byteSize, type Config } from "../config";
import { line } from "../input";
import { createLog } from "../log";
import { openStorage } from "../storage";
import { actor, type Command, print, withData } from "./command";

const url = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((text) => new URL(text).origin);
const NewNode = z.object({
  name: line({ min: 1, max: 50 }),
  endpoint: url,
  publicEndpoint: url.optional(),
  region: z.string().default("us-east-1"),
  bucket: z.string("is required").min(3),
  accessKey: z.string("is required").min(1),
  secretKey: z.string().min(1, "must be given on stdin"),
  capacity: byteSize,
});

const nodesOf = (data: { config: Config; db: Db; now: Date }) =>
  openStorage({ ...data, log: createLog("silent"), now: () => data.now }).nodes;

export const commands: Command[] = [
  {
    usage:
      "nodes add <name> --endpoint=URL --bucket=B --access-key=K --capacity=500GB [--region=R] [--public-endpoint=URL]",
    about: "Add an S3 storage node; its secret key is read from stdin, so that no process list shows it",
    options: Object.fromEntries(
      ["endpoint", "bucket", "access-key", "capacity", "region", "public-endpoint"].map((name) => [
        name,
        { type: "string" as const },
      ]),
    ),
    run: ([name], flags) =>
      withData(async (data) => {
        const given = NewNode.safeParse({
          ...{ name, ...flags, accessKey: flags["access-key"], publicEndpoint: flags["public-endpoint"] },
          secretKey: (await Bun.stdin.text()).trim(),
        });
        if (!given.success)
          throw new Error(given.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
        const { capacity: capacityBytes, publicEndpoint = given.data.endpoint, ...node } = given.data;
        const added = await nodesOf(data).add({ ...node, publicEndpoint, capacityBytes });
        if (!added) throw new Error(`There is a node called ${node.name} already.`);
        await audit.note(
          data.db,
          { actor, action: "storage-node.add", targetId: added.id, target: added.name },
          data.now,
        );
        print(added.id, added.name, added.endpoint);
      }),
  },
  {
    usage: "nodes list",
    about: "List the storage nodes: id, name, state, endpoint, bucket, bytes used, reserved and in all",
    run: () =>
      withData(async (data) => {
        for (const node of await nodesOf(data).list())
          print(
            ...[node.id, node.name, node.state, node.endpoint, node.bucket],
            ...[node.usedBytes, node.reservedBytes, node.capacityBytes],
          );
      }),
  },
  {
    usage: "nodes test <id>",
    about: "Upload, list, read and remove a small object on a node",
    run: ([id = ""]) =>
      withData(async (data) => {
        const node = (await storageNodes.find(data.db, id)) ?? (await storageNodes.byName(data.db, id));
        if (!node) throw new Error(`There is no node ${id}.`);
        const found = await nodesOf(data).test(node);
        if (!found.ok) throw new Error(`${node.name} does not work: ${found.error}`);
        print(node.id, node.name, "works", found.signedLength ? "wrong lengths are refused" : "takes any length");
      }),
  },
];
