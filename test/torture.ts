/** `npm run torture [name]`: what it survives (test/torture/*.ts). */
import { runPrograms } from "./support/programs";

runPrograms("torture", Bun.argv.slice(2));
