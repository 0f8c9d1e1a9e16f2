import { truncateSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { startEmbeddedNode } from "../../../src/storage/embedded/node";
import { readJson, writeJson } from "../../../src/storage/embedded/objects";
import { presign } from "../../../src/storage/s3/presign";
import { createLog } from "../../../src/platform/log";
import { temporaryFolder } from "./storage";

/**
 * An S3 server that keeps interrupted uploads like versitygw 1.8.0 on a POSIX file system: the file is as long as was
 * announced, ends with zeros, and has the MD5 of the bytes that did arrive as its ETag.
 */
export async function keepsInterrupted(bucket = "parcels") {
  const folder = temporaryFolder();
  const node = await startEmbeddedNode({ folder, port: 0, origins: new Set(), log: createLog("silent") });
  const { endpoint, accessKey, secretKey, region } = node;
  const behind = Number(new URL(endpoint).port);

  /** Stores the bytes that arrived, and makes the part as long as all of them. */
  async function keep(target: URL, bytes: Buffer, size: number): Promise<void> {
    const query = Object.fromEntries(
      [...target.searchParams].filter(([name]) => name === "partNumber" || name === "uploadId"),
    );
    const headers = { "content-length": String(bytes.length) };
    const request = { method: "PUT", origin: endpoint, path: target.pathname, query, headers, expiresIn: 60 };
    const url = presign({ accessKey, secretKey, region }, request, new Date());
    if (!(await fetch(url, { method: "PUT", body: bytes })).ok) return;
    const upload = join(folder, "buckets", bucket, "uploads", query.uploadId ?? "");
    const description = join(upload, `${query.partNumber}.json`);
    const part = await readJson<{ file: string }>(description);
    if (!part) return;
    truncateSync(join(upload, part.file), size);
    await writeJson(description, { ...part, size });
  }

  /** Passes everything on but a PUT of a part that ends too early. */
  function serve(client: Socket): void {
    let received = Buffer.alloc(0);
    let isPassed = false;
    const request = () => {
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const head = received.subarray(0, end).toString("latin1");
      const [method, target = "/"] = head.split(" ");
      const header = (name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(head)?.[1]?.trim();
      const url = new URL(target, endpoint);
      const size = Number(header("content-length") ?? 0);
      return {
        head,
        url,
        size,
        body: received.subarray(end + 4),
        isPart: method === "PUT",
        md5: header("content-md5"),
      };
    };
    const pass = (head: string, body: Buffer) => {
      isPassed = true;
      const server = connect(behind, "127.0.0.1");
      server.write(`${head.replace(/\r\nconnection:[^\r]*/i, "")}\r\nConnection: close\r\n\r\n`);
      server.write(body);
      server.once("data", (answer: Buffer) => {
        const line = answer.indexOf("\r\n") + 2; // one request for each connection, so that each is seen
        client.write(
          Buffer.concat([answer.subarray(0, line), Buffer.from("Connection: close\r\n"), answer.subarray(line)]),
        );
        server.pipe(client);
      });
      client.on("data", (bytes) => server.write(bytes));
      client.on("error", () => server.destroy());
      server.on("error", () => client.destroy());
    };
    client.on("data", (bytes: Buffer) => {
      if (isPassed) return;
      received = Buffer.concat([received, bytes]);
      const read = request();
      if (read && (!read.isPart || read.body.length >= read.size)) pass(read.head, read.body);
    });
    const cut = async () => {
      if (isPassed) return;
      isPassed = true;
      const read = request();
      const isKept = read && read.body.length > 0 && !read.md5;
      if (isKept) await keep(read.url, read.body, read.size);
      client.end(`HTTP/1.1 ${isKept ? "200 OK" : "400 Bad Request"}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    };
    client.on("end", () => void cut());
    client.on("close", () => void cut());
    client.on("error", () => {});
  }

  const front = createServer({ allowHalfOpen: true }, serve).listen(0, "127.0.0.1");
  await new Promise((resolve) => front.once("listening", resolve));
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    ...{ bucket, accessKey, secretKey, region },
    async close() {
      front.close();
      await node.close();
    },
  };
}
