import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { openStorage } from "../storage";
import { createLog } from "../platform/log";
import { actor, type Command, complain, type Flags, print, withData } from "./command";
import type { z } from "zod";
import { number, plural } from "../../views/components/list";
import { areFew } from "../storage/nodes/reconcile";
import { codeOf } from "../storage/s3/errors";
import * as nodeEdits from "../../db/storage/nodes/edit";
import { isPaused, keepsInterrupted } from "../../db/storage/nodes/nodes";
import { EditedNode, NewNode } from "../storage/nodes/input";
import type { Fix } from "../storage/nodes/fixes";
import type { NodeView } from "../storage/nodes/nodes";
import { originsIn } from "../storage/nodes/probe";

type Data = { config: Config; db: Db; now: Date };
const by = { actor };

const storageOf = (data: Data) =>
  openStorage({ ...data, log: createLog("silent"), now: () => new Date(), keepsRule: true });

/** The same, for the pages for which the service has last tested the node, whatever the origins of this shell are. */
function asServiceOf(data: Data, { name, probe }: NodeView) {
  const origins = originsIn(probe ?? {});
  const isSame = Bun.deepEquals(new Set(origins), new Set(data.config.CORS_ORIGINS));
  if (!origins.length || isSame) return storageOf(data);
  complain(
    `${name}: tested for pages of ${origins.join(", ")}, as by the service. BASE_URL, BLOG_URL and CORS_ORIGINS of this shell name others; those of the service count when it starts.`,
  );
  return storageOf({ ...data, config: { ...data.config, CORS_ORIGINS: new Set(origins) } });
}

/** Returns the node with this ID or name. @throws if there is none */
async function nodeOf(data: Data, idOrName: string) {
  const node = await storageOf(data).nodes.find(idOrName);
  if (!node) throw new Error(`No storage node called ${idOrName}.`);
  return node;
}

/** The flags that say what a node is. */
const fields = [
  "endpoint",
  "public-endpoint",
  "region",
  "bucket",
  "access-key",
  "capacity",
  "stale-upload-hours",
  "max-put",
];
const texts = (names: string[]) => Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));

/** Maps flags to field names: --access-key becomes accessKey. */
const named = (flags: Flags) =>
  Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [flag.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), value]),
  );

/** @throws naming what is wrong */
function read<T>(schema: z.ZodType<T>, fields: object): T {
  const { data, error } = schema.safeParse(fields);
  if (!error) return data as T;
  throw new Error(error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
}

const secretFromStdin = async () => (await Bun.stdin.text()).trim();

const addressFlags = "[--region=R] [--public-endpoint=URL] [--stale-upload-hours=24] [--max-put=5TB]";

/** @throws if the flag is given and not a number */
function numberIn(flag: Flags[string]): number | undefined {
  if (flag === undefined) return;
  if (typeof flag !== "string" || !/^\d{1,15}$/.test(flag)) throw new Error("--yes-lost must be a number of files.");
  return Number(flag);
}

const check: Command = {
  usage: "nodes check [--node=NAME [--yes-lost=N]] [--repair]",
  about:
    "Compare the database with the nodes’ contents (id, kind, subject, expected, found, action); exits with 1 if they differ. If more than a tenth of the files are missing, they are removed only with --yes-lost and their number",
  options: { node: { type: "string" }, repair: { type: "boolean" }, "yes-lost": { type: "string" } },
  run: (_, { node: wanted, repair, "yes-lost": lost }) =>
    withData(async (data) => {
      const yesLost = numberIn(lost);
      if (yesLost !== undefined && typeof wanted !== "string")
        throw new Error("--yes-lost applies to one node. Name it with --node.");
      const { nodes } = storageOf(data);
      const chosen = typeof wanted === "string" ? [await nodeOf(data, wanted)] : await nodes.list();
      let isLeft = false;
      for (const { id, name } of chosen) {
        const seen = { matched: 0, bytes: 0, missing: 0 };
        const differences = await Array.fromAsync(nodes.differences(id, seen, by, yesLost)).catch((error) => {
          throw new Error(`${name} is not responding: ${codeOf(error)}`);
        });
        for (const { kind, subject, expected, found: is, isRepaired, repair: mend } of differences) {
          const isMended = isRepaired ?? (repair === true && (await mend()));
          isLeft ||= !isMended;
          print(id, kind, subject, expected, is, isMended ? "repaired" : "left");
        }
        if (repair && !areFew(seen) && yesLost !== seen.missing)
          complain(
            `${name}: ${number(seen.missing)} of ${number(seen.matched + seen.missing)} files are missing, so the disk may be lost or swapped. None of them was removed. Reconnect the disk, or, if they are permanently lost, use --yes-lost=${seen.missing}.`,
          );
        complain(
          `${name}: ${plural(seen.matched, "matching file")}, ${plural(seen.bytes, "byte")}, ${plural(differences.length, "difference")}`,
        );
      }
      return isLeft ? 1 : 0;
    }),
};

/** The same, for nodes not managed by the configuration. @throws if it is */
async function ownNodeOf(data: Data, idOrName: string) {
  const node = await nodeOf(data, idOrName);
  if (node.kind === "environment")
    throw new Error(`${node.name} is configured by the MINIO_* variables. Change those instead.`);
  if (node.kind === "embedded") throw new Error(`${node.name} is the built-in node. Drain it instead.`);
  return node;
}

/** Returns "ok", or why uploads, or some of them, do not go there. */
function problemOf(node: NodeView, now: Date): string {
  const { checkError, downUntil, fullSince, refusedBytes } = node;
  if (isPaused(node, now)) return `paused until ${downUntil?.toISOString()}`;
  if (checkError) return `offline: ${checkError}`;
  const rejected = refusedBytes ? `${number(refusedBytes)} bytes or more` : "all files";
  if (fullSince) return `full since ${fullSince.toISOString()}: rejects ${rejected}`;
  if (node.freeBytes === 0) return "full";
  return keepsInterrupted(node) ? "accepts only parts and Content-MD5: keeps interrupted uploads" : "ok";
}

/** @throws if the node is out of use */
async function setState(data: Data, idOrName: string, verb: "drain" | "activate") {
  const { id, name } = await nodeOf(data, idOrName);
  const state = (await nodeEdits[verb](data.db, id, by, data.now))?.state;
  if (state === "down") throw new Error(`${name} is disabled by the configuration.`);
  print(id, name, state ?? "removed");
}

/** What a fix refers to, to copy: each on lines of its own, indented. */
const copyable = ({ commands = [] }: Fix) =>
  commands.map((command) => `\n${command}`.replaceAll("\n", "\n  ")).join("");

export const commands: Command[] = [
  {
    usage: `nodes add <name> --endpoint=URL --bucket=B --access-key=K --capacity=500GB ${addressFlags} [--force]`,
    about:
      "Test an S3 storage node and add it; the secret key is read from stdin. A node that fails the test is added only with --force",
    options: { ...texts(fields), force: { type: "boolean" } },
    run: ([name], { force, ...flags }) =>
      withData(async (data) => {
        const node = read(NewNode, { name, ...named(flags), secretKey: (await secretFromStdin()) || undefined });
        const { nodes } = storageOf(data);
        const nameTaken = new Error(`A storage node called ${node.name} already exists.`);
        if (await nodes.find(node.name)) throw nameTaken;
        const probed = await nodes.tryOut(node);
        for (const { check, fix } of await nodes.capabilities({ ...node, kind: "managed", probe: probed.findings }))
          if (fix) complain(`${check}: ${fix.problem} ${fix.action}${copyable(fix)}`);
        if (probed.error && !force)
          throw new Error(
            `${node.name} failed the test (${probed.error}) and was not added. Use --force to add it anyway.`,
          );
        const added = await nodes.add(node, by, probed);
        if (!added) throw nameTaken;
        print(added.id, added.name, added.endpoint);
      }),
  },
  {
    usage: "nodes list",
    about:
      "List storage nodes (id, name, status, endpoint, bucket, bytes used, reserved, capacity, free as far as is known, problem, when the server last reported its free space)",
    run: () =>
      withData(async (data) => {
        for (const node of await storageOf(data).nodes.list())
          print(
            ...[node.id, node.name, node.state, node.endpoint, node.bucket],
            ...[node.usedBytes, node.reservedBytes, node.capacityBytes, node.freeBytes],
            ...[problemOf(node, data.now), node.probe?.freeAt ?? "not reported"],
          );
      }),
  },
  {
    usage: "nodes test <name>",
    about: "Test a node with a small upload (id, check, ok or problem, fix); what a fix says to copy goes to stderr",
    run: ([id = ""]) =>
      withData(async (data) => {
        const node = await nodeOf(data, id);
        const { nodes } = asServiceOf(data, node);
        const { error } = await nodes.test(node);
        for (const { check, found: result, state, fix } of await nodes.capabilities(await nodeOf(data, node.id))) {
          print(
            node.id,
            check,
            state === "fine" ? "ok" : (result ?? "not tested"),
            ...(fix ? [fix.problem, fix.action] : []),
          );
          if (fix?.commands) complain(`${check}:${copyable(fix)}`);
        }
        if (error) throw new Error(`${node.name} failed: ${error}`);
      }),
  },
  {
    usage: `nodes edit <name> [--name=N] [--endpoint=URL] [--bucket=B] [--access-key=K] [--capacity=500GB] ${addressFlags} [--new-secret]`,
    about: "Edit a node; with --new-secret, the new secret key is read from stdin",
    options: { ...texts([...fields, "name"]), "new-secret": { type: "boolean" } },
    run: ([id = ""], { "new-secret": isNew, ...flags }) =>
      withData(async (data) => {
        const node = await ownNodeOf(data, id);
        const { publicEndpoint, ...now } = { ...node, capacity: String(node.capacityBytes) };
        const input = read(EditedNode, {
          ...now,
          staleUploadHours: String(node.staleUploadHours),
          ...(!("endpoint" in flags) && { maxPut: String(node.maxPutBytes) }),
          ...(publicEndpoint !== node.endpoint && { publicEndpoint }),
          ...named(flags),
          ...(isNew && { secretKey: await secretFromStdin() }),
        });
        const edited = await storageOf(data).nodes.edit(node.id, input, by);
        if (edited.outcome === "too-small")
          throw new Error(
            `${node.name} uses and reserves ${number(edited.minBytes)} bytes. The capacity cannot be lower.`,
          );
        if (edited.outcome === "taken") throw new Error(`A storage node called ${input.name} already exists.`);
        print(node.id, input.name, input.endpoint);
      }),
  },
  {
    usage: "nodes drain <name>",
    about: "Stop new uploads to a node; uploads in progress and files are kept",
    run: ([id = ""]) => withData((data) => setState(data, id, "drain")),
  },
  {
    usage: "nodes activate <name>",
    about: "Resume uploads to a drained node",
    run: ([id = ""]) => withData((data) => setState(data, id, "activate")),
  },
  {
    usage: "nodes remove <name>",
    about: "Remove an empty node",
    run: ([id = ""]) =>
      withData(async (data) => {
        const node = await ownNodeOf(data, id);
        const removed = await nodeEdits.remove(data.db, node.id, by, data.now);
        if (removed.outcome === "not-empty")
          throw new Error(
            `${node.name} is not empty: ${removed.files} files, ${removed.uploads} uploads. Drain it, and delete them first.`,
          );
        print(node.id, node.name, "removed");
      }),
  },
  check,
];
