import { createLog } from "../../../src/platform/log";
import { type EmbeddedNode, startEmbeddedNode } from "../../../src/storage/embedded/node";
import { temporaryFolder } from "../../support/storage/storage";

/** An S3 server for tests, and an unused bucket. */
export type Server = Omit<EmbeddedNode, "freeBytes">;

const { STORAGE_TEST_ENDPOINT, STORAGE_TEST_ACCESS_KEY, STORAGE_TEST_SECRET_KEY, STORAGE_TEST_REGION } = process.env;

/** A site whose pages upload. `allowOrigins` configures servers that support it; the embedded node knows the site. */
export const site = "https://site.example";

/**
 * The server that STORAGE_TEST_ENDPOINT names, with its _ACCESS_KEY, _SECRET_KEY and _REGION; otherwise an embedded
 * node.
 */
export async function openServer(): Promise<Server> {
  const bucket = `test-${crypto.randomUUID()}`;
  if (!STORAGE_TEST_ENDPOINT) {
    const options = { folder: temporaryFolder(), port: 0, origins: new Set([site]), log: createLog("silent") };
    return { ...(await startEmbeddedNode(options)), bucket };
  }
  return {
    endpoint: STORAGE_TEST_ENDPOINT,
    accessKey: STORAGE_TEST_ACCESS_KEY ?? "",
    secretKey: STORAGE_TEST_SECRET_KEY ?? "",
    region: STORAGE_TEST_REGION ?? "us-east-1",
    bucket,
    close: async () => {},
  };
}
