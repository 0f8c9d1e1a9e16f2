/**
 * `npm run torture storage [uploads]` (figure R15): failures of disks and storage servers. Clients upload to a node
 * whose disk is full, whose bucket has a quota, or whose disk is removed, swapped for an empty one, restored or slow,
 * beside a node with space. No file may be lost, and no upload rejected while the other node has space. Uses MinIO if
 * MINIO_BINARY or the PATH has one, otherwise the embedded server with these faults.
 */
import { storageNodes } from "../../db/schema/storage";
import * as uploads from "../../db/storage/uploads";
import { realDisk } from "../support/storage/minio-disk";
import { atMost, conclude, exactly, type Figure } from "../support/figures";
import { type Disk, smallDisk } from "../support/storage/small-disk";
import { start } from "../support/storage/storage-pages";

const mebibyte = 2 ** 20;
const minute = 60_000;
const size = 5 * mebibyte;
const count = Number(Bun.argv[2] ?? 40);
const minio = Bun.env.MINIO_BINARY ?? Bun.which("minio") ?? undefined;
const isReal = minio !== undefined;
const open = (): Promise<Disk> => (minio ? realDisk(minio, 3 * count * size) : smallDisk());

type Service = Awaited<ReturnType<typeof start>>;
type Client = ReturnType<typeof clientOf>;

/** A program that uploads: it says what the storage refused, unless it is one of those that never do. */
function clientOf(service: Service, nodeId: string, isTalkative: boolean) {
  const { key, post, storage } = service;
  const kept: { id: string; body: Uint8Array<ArrayBuffer> }[] = [];
  const figures = { refused: 0, turnedAway: 0, toNode: 0 };

  /** One file, on the third node that it is sent to at the latest. */
  async function upload(): Promise<void> {
    const body = crypto.getRandomValues(new Uint8Array(65_536));
    const whole = new Uint8Array(size).map((_, i) => body[i % body.length] ?? 0);
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await post("/api/v1/storage/upload", { filename: "a", mimeType: "text/plain", size }, key);
      if (answer.status !== 200) break;
      const { data } = (await answer.json()) as { data: { uploadUrl: string; _meta: Record<string, string> } };
      const id = data._meta.reservationId ?? "";
      const sent = await fetch(data.uploadUrl, { method: "PUT", body: whole }).catch(() => undefined);
      if (data._meta.nodeId === nodeId) figures.toNode++;
      if (sent?.ok) {
        await post(`/api/v1/storage/uploads/${id}/complete`, {}, key);
        return void kept.push({ id, body: whole });
      }
      figures.refused++;
      if (!isTalkative) return;
      const code = /<Code>(\w{1,64})</.exec((await sent?.text()) ?? "")?.[1];
      await post(`/api/v1/storage/uploads/${id}/failed`, { status: sent?.status ?? 0, code }, key);
      await storage.capacity.settled();
    }
    figures.turnedAway++;
  }

  /** Files of which a byte is not as it was sent. */
  async function lost(): Promise<number> {
    let lost = 0;
    for (const { id, body } of kept) {
      const url = await storage.downloadUrl(id);
      const bytes = url && (await fetch(url).then((answer) => answer.bytes()));
      if (!bytes || Buffer.compare(bytes, body)) lost++;
    }
    return lost;
  }

  return { upload, lost, kept, figures };
}

type Stage = { service: Service; disk: Disk; client: Client; nodeId: string; figures: Figure[]; check: Check };
type Check = (yesLost?: number) => Promise<{ missing: number; ended: number }>;

/** A service with a node of its own, and a spare one that has room for everything, but less than the other disk. */
async function stage(name: string, play: (stage: Stage) => Promise<void>, isTalkative = true): Promise<Figure[]> {
  const service = await start();
  const [disk, spare] = [await open(), await smallDisk()];
  try {
    await service.db.write((orm) => orm.update(storageNodes).set({ state: "draining" }).run()); // the embedded one
    const add = (node: string, { endpoint, bucket, accessKey, secretKey }: Disk, capacity?: number) =>
      service.addNode(node, endpoint, { bucket, accessKey, secretKey, ...(capacity && { capacity }) });
    await add("attic", spare, 1.2 * count * size);
    const { id: nodeId } = await add("cellar", disk);
    const client = clientOf(service, nodeId, isTalkative);
    const figures: Figure[] = [];
    const check: Check = async (yesLost) => {
      const seen = { matched: 0, bytes: 0, missing: 0 };
      const all = await Array.fromAsync(service.storage.nodes.differences(nodeId, seen, { actor: "torture" }, yesLost));
      let ended = 0;
      for (const { kind, repair } of all) if ((await repair()) && kind === "missing") ended++;
      return { missing: seen.missing, ended };
    };
    await play({ service, disk, client, nodeId, figures, check });
    const states = await Promise.all(client.kept.map(async ({ id }) => (await uploads.find(service.db, id))?.state));
    return [
      ...figures,
      exactly("R15", `${name}: uploads turned away while a node had room`, 0, client.figures.turnedAway),
      exactly(
        "R15",
        `${name}: of ${client.kept.length} files no file any more`,
        0,
        states.filter((state) => state !== "completed").length,
      ),
      exactly("R15", `${name}: files with other bytes than were sent`, 0, await client.lost()),
    ];
  } finally {
    await service.storage.close();
    await disk.close();
    await spare.close();
  }
}

const repeat = async (times: number, work: () => Promise<void>) => {
  for (let i = 0; i < times; i++) await work();
};

/** The disk, or the quota, ends while files come. Every one finds a place, and the node is asked in vain a few times only. */
const full = (name: string, limit: (disk: Disk) => Promise<void> | void) =>
  stage(name, async ({ service, disk, client, figures, nodeId }) => {
    await limit(disk);
    await repeat(count, client.upload);
    const { clock, storage } = service;
    figures.push(atMost("R15", `${name}: PUTs refused until everybody knew`, 2, client.figures.refused));
    await disk.unlimit();
    clock.time += 60 * minute;
    await storage.nodes.testAll();
    await storage.nodes.revive();
    const before = client.figures.toNode;
    await repeat(2, client.upload);
    figures.push(
      exactly("R15", `${name}: with room again, uploads that went there`, 2, client.figures.toNode - before),
    );
    await storage.nodes.test({ id: nodeId });
  });

/** Clients that say nothing: what they reserved and never sent tells it. */
const silent = () =>
  stage(
    "full, nobody says so",
    async ({ service, disk, client, figures }) => {
      await disk.limit("disk");
      for (let i = 0; client.figures.refused === 0 && i < 200; i++) await client.upload();
      await service.after(76 * minute);
      await service.after(2 * minute);
      await service.storage.capacity.settled();
      const before = client.figures.refused;
      await repeat(count / 4, client.upload);
      figures.push(
        exactly(
          "R15",
          "full, nobody says so: PUTs refused after the reservations ended",
          0,
          client.figures.refused - before,
        ),
      );
    },
    false,
  );

/** A client that lies, again and again: the others do not notice. */
const liar = () =>
  stage("lies", async ({ service, client, figures }) => {
    const liar = await service.anotherKey();
    await repeat(count, async () => {
      const answer = await service.post(
        "/api/v1/storage/upload",
        { filename: "a", mimeType: "text/plain", size: 5 },
        liar,
      );
      if (answer.status !== 200) return; // the client has kept itself from every node
      const { data } = (await answer.json()) as { data: { _meta: Record<string, string> } };
      await service.post(`/api/v1/storage/uploads/${data._meta.reservationId}/failed`, { status: 507 }, liar);
      service.clock.time += 1_000;
    });
    await service.storage.capacity.settled();
    await repeat(3, client.upload);
    figures.push(exactly("R15", "lies: uploads of others that went elsewhere", 0, 3 - client.figures.toNode));
  });

/** The disk is gone, or another one is in its place. Repairs give nothing up, and what people gave up comes back. */
const gone = (name: string, out: (disk: Disk) => Promise<void> | void, back: (disk: Disk) => Promise<void> | void) =>
  stage(name, async ({ service, disk, client, figures, check }) => {
    await repeat(8, client.upload);
    await out(disk);
    service.clock.time += 10_000; // so that no other check interferes
    await repeat(4, client.upload);
    const refused = await check().catch(() => ({ missing: 8, ended: 0 })); // without a bucket there is nothing to compare
    figures.push(exactly("R15", `${name}: files that a repair gave up`, 0, refused.ended));
    if (name !== "taken out") await check((await check()).missing);
    await back(disk);
    await service.after(10 * minute);
    await service.after(10 * minute);
    figures.push(exactly("R15", `${name}: files missing when it is back`, 0, (await check()).missing));
  });

const slow = () =>
  stage("slow", async ({ disk, client }) => {
    disk.faults.pause = 300;
    await repeat(5, client.upload);
    disk.faults.pause = 0;
  });

console.log(isReal ? `MinIO: ${minio}` : "The embedded server, with faults");
conclude([
  ...(await full("full disk", (disk) => disk.limit("disk"))),
  ...(await full("quota", (disk) => disk.limit("quota"))),
  ...(await full("bucket quota", (disk) => disk.limit("bucketQuota"))),
  ...(await silent()),
  ...(await liar()),
  ...(await gone(
    "taken out",
    (disk) => disk.takeOut(),
    (disk) => disk.putBack(),
  )),
  ...(await gone(
    "swapped",
    (disk) => disk.swap(),
    (disk) => disk.swapBack(),
  )),
  ...(await slow()),
]);
process.exit(); // the embedded server of this process stays open otherwise
