/** `npm run pictures`: makes the pictures of the README, of a site with sample content, in both themes. */
import { join } from "node:path";
import { fillWithDemo } from "../src/demo/fill";
import { openStage, settled } from "./support/broadcasts/stage";

const folder = join(import.meta.dir, "../docs/pictures");
const stage = await openStage({ time: Date.parse("2026-06-11T08:30:00Z") });
await fillWithDemo(stage, stage.now());
for (const colorScheme of ["light", "dark"] as const) {
  const page = await stage.open("/dashboard", { colorScheme, viewport: { width: 1280, height: 860 } });
  await settled(page);
  const path = join(folder, `overview-${colorScheme}.png`);
  await page.screenshot({ path });
  console.log(path);
}
await stage.close();
process.exit();
