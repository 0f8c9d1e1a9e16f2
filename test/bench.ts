/**
 * `npm run bench [name]`: speed, as ratios measured side by side (test/bench/*.ts). `npm run bench -- --peer
 * pocketbase` makes the same lists and writes with PocketBase, whose program POCKETBASE_BINARY names.
 */
import { runPrograms } from "./support/programs";

const [first, ...rest] = Bun.argv.slice(2);
runPrograms("bench", first === "--peer" ? ["peer", ...rest] : first === undefined ? [] : [first, ...rest]);
