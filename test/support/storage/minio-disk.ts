import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientFor } from "../../../src/storage/s3/client";
import { openS3 } from "../../../src/storage/s3/s3";
import { freePort, temporaryFolder } from "../processes";
import { type Disk, frontOf } from "./small-disk";

const mebibyte = 2 ** 20;
const bucket = "parcels";

/**
 * A real MinIO on a file system of its own that holds `room` bytes, with everything that can happen to a disk. Linux
 * only: the file system is in a mount namespace, which a shell keeps open.
 */
export async function realDisk(program: string, room: number): Promise<Disk> {
  const folder = temporaryFolder();
  const port = freePort();
  const [accessKey, secretKey] = [crypto.randomUUID(), crypto.randomUUID()];
  const server = `http://127.0.0.1:${port}`;
  const keys = { accessKey, secretKey, region: "us-east-1" };
  const s3 = openS3({ ...keys, endpoint: server, publicEndpoint: server, bucket }, 10_000);
  const shell = Bun.spawn(["unshare", "-rm", "sh"], {
    env: {
      ...{ PATH: Bun.env.PATH, HOME: folder.path, MINIO_BROWSER: "off", MINIO_UPDATE: "off" },
      ...{ MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey },
    },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const say = (line: string) => void (shell.stdin.write(`${line}\n`), shell.stdin.flush());
  const inside = `/proc/${shell.pid}/root${folder.path}`;
  const ballast = join(inside, "ballast");
  const free = () => {
    const { bavail, bsize } = statfsSync(inside);
    return bavail * bsize;
  };
  say(`mount -t tmpfs -o size=${room} none '${folder.path}'`);

  async function serve(name: "data" | "other"): Promise<void> {
    say(
      `mkdir -p '${folder.path}/${name}'; '${program}' server --quiet --address 127.0.0.1:${port} '${folder.path}/${name}' >&2 & pid=$!`,
    );
    while (!(await fetch(`${server}/minio/health/ready`).catch(() => undefined))) await Bun.sleep(50);
  }
  async function stop(): Promise<void> {
    say("kill $pid; wait $pid 2>/dev/null");
    while (await fetch(server).catch(() => undefined)) await Bun.sleep(50);
  }
  const change = async (name: "data" | "other") => (await stop(), await serve(name));

  /** Of the bucket; 0 for none. */
  const setQuota = async (quota: number): Promise<void> =>
    void (await clientFor(server, keys, 10_000).makeRequestAsyncOmit(
      { method: "PUT", bucketName: "minio", objectName: "admin/v3/set-bucket-quota", query: `bucket=${bucket}` },
      JSON.stringify({ quota, quotatype: "hard" }),
      [200],
    ));

  await serve("data");
  await s3.ensureBucket();
  const faults = { pause: 0 };
  const front = frontOf(server, faults);
  return {
    ...{ endpoint: front.endpoint, bucket, accessKey, secretKey, faults },
    /** Fills the disk but for some files, or sets a quota for as many. */
    async limit(refusal) {
      if (refusal !== "disk") return setQuota(60 * mebibyte);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, free() - 100 * mebibyte)));
    },
    async unlimit() {
      rmSync(ballast, { force: true });
      await setQuota(0);
      while (((await s3.reportedFree())?.bytes ?? 0) < free() - mebibyte) await Bun.sleep(100); // MinIO looks every ten seconds
    },
    takeOut: () => change("other"),
    putBack: () => change("data"),
    async swap() {
      await change("other");
      await s3.ensureBucket();
    },
    swapBack: () => change("data"),
    async close() {
      await front.close();
      await stop();
      await shell.stdin.end();
      await shell.exited;
      folder[Symbol.dispose]();
    },
  };
}
