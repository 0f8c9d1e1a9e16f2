/** `npm run bench [name]`: how fast it is, as ratios measured side by side (test/bench/*.ts). */
import { runPrograms } from "./programs";

runPrograms("bench", Bun.argv.slice(2));
