/** `npm run torture [name]`: failures that the service survives (test/torture/*.ts). */
import { runPrograms } from "./support/programs";

runPrograms("torture", Bun.argv.slice(2));
