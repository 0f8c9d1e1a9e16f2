/**
 * `npm run fuzz [n] [seed]`: n requests (100,000 by default) made from the OpenAPI document: valid, nearly valid and
 * mutilated. Every response must be documented, never a 5xx, and must not leak internals.
 *
 * `npm run fuzz bombs [n] [seed]`: n requests (2,000 by default), with and without NODE_ENV=production, that would be
 * expensive if some work were unbounded. Each is compared with an ordinary one of the same length. Then every GET route
 * with each Accept-Encoding, pipelined: none may cost a stranger's neighbours more than three times /healthz. Then a
 * fifth as many pictures, for the process that decodes them.
 *
 * `npm run fuzz hands [n] [seed]`: n walks (500 by default) through the dashboard by hands that wait for nothing, while
 * every answer is late and the processor slow. In the end the page and the database must be as after patient hands.
 */
import { conclude, exactly } from "./support/figures";
import { fuzzWithBombs } from "./fuzz/bombs";
import { fuzzWithHands } from "./fuzz/hands";
import { fuzz } from "./fuzz/run";

const [first, ...more] = Bun.argv.slice(2);
if (first === "bombs") await fuzzWithBombs(more);
else if (first === "hands") await fuzzWithHands(more);
else await fuzzTheDocument([...(first === undefined ? [] : [first]), ...more]);
process.exit(); // the service under test has a storage node, which listens on

async function fuzzTheDocument([count = "100000", seed = String(Date.now() % 2 ** 31)]: string[]): Promise<void> {
  console.log(`Fuzzing with ${count} requests, seed ${seed}`);
  const { problems, statuses, seconds } = await fuzz(Number(count), Number(seed));

  for (const [status, times] of [...statuses].sort()) console.log(`${status}: ${times}`);
  for (const problem of problems.slice(0, 20)) console.log(problem);
  console.log(`${count} requests in ${seconds.toFixed(1)} s, seed ${seed}`);
  conclude([exactly("R12", `violations in ${count} requests`, 0, problems.length)]);
}
