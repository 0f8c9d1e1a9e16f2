/**
 * `npm run client`: makes the client's types and routes from the document, and writes the package to dist/client as it
 * is published.
 */
import { join } from "node:path";
import { bundle, clientFolder, generatedFrom, writePackage } from "./support/client/build";
import { testService } from "./support/service";

const service = await testService();
const generated = await generatedFrom(await (await service.get("/openapi.json")).text());
for (const [name, text] of Object.entries(generated)) await Bun.write(join(clientFolder, name), text);
const folder = join(import.meta.dir, "../dist/client");
await writePackage(folder);
const minified = await bundle(join(clientFolder, "client.ts"), true);
console.log(`${folder}: ${Bun.gzipSync(minified).length} bytes, minified and compressed`);
process.exit();
