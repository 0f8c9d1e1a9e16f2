import type { Page } from "playwright-core";
import type { Stage } from "./stage";

const path = "/dashboard/storage/nodes";

/** Tests the embedded node, and adds one that does not exist. Returns the pages to look at. */
export async function addNodeFixtures({ owner, storage }: Stage): Promise<Record<string, string>> {
  const by = { actor: owner.manager.email };
  await storage.nodes.open();
  const own = await storage.nodes.find("embedded");
  const dead = await storage.nodes.add(
    {
      ...{
        name: "cellar",
        endpoint: "http://127.0.0.1:1",
        publicEndpoint: "https://cellar.example",
        bucket: "parcels",
      },
      ...{ region: "us-east-1", accessKey: "key", secretKey: "secret", capacityBytes: 1, staleUploadHours: 24 },
    },
    by,
  );
  if (!own || !dead) throw new Error("The nodes are not there");
  await Promise.all([storage.nodes.test(own), storage.nodes.test(dead)]);
  return {
    "storage nodes": path,
    "a node that works": `${path}/${own.id}`,
    "a node with a failing check": `${path}/${dead.id}`,
    "add a node": `${path}/new`,
    "edit a node": `${path}/${dead.id}/edit`,
    "remove a node": `${path}/${dead.id}/remove`,
  };
}

/** Fills in the form of a node that does not exist. */
export async function fillNode(page: Page, name: string): Promise<void> {
  for (const [field, value] of [
    ["name", name],
    ["endpoint", "http://127.0.0.1:1"],
    ["bucket", "parcels"],
    ["accessKey", "the-access-key"],
    ["secretKey", "the-secret-key"],
    ["capacity", "2GB"],
  ] as const)
    await page.locator(`#f-${field}`).fill(value);
}
