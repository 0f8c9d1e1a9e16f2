/** A storage node in a process of its own: its work must not delay the service that is measured. */
import { createLog } from "../../../src/platform/log";
import { startEmbeddedNode } from "../../../src/storage/embedded/node";

/** Starts one with its files in `folder`. `url` is what BACKUP_URL says of it. */
export async function startNodeProcess(folder: string) {
  const child = Bun.spawn([process.execPath, import.meta.path, folder], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  return { child, url: new TextDecoder().decode(value).trim() };
}

if (import.meta.main) {
  const [, , folder = ""] = Bun.argv;
  const node = await startEmbeddedNode({ folder, port: 0, origins: new Set(), log: createLog("silent") });
  const { host } = new URL(node.endpoint);
  console.log(`s3+http://${node.accessKey}:${encodeURIComponent(node.secretKey)}@${host}/${node.bucket}/copies`);
}
