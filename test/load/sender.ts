/** A sender of broadcasts in a process of its own (`bench broadcast`). Prints what it took when everything is sent. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openDb } from "../../db/open";
import { writeEmails } from "../../src/broadcasts/letter/emails";
import { Sender } from "../../src/broadcasts/sender";
import { loadConfig } from "../../src/platform/config";
import { openMail } from "../../src/mail/open";
import { createLog } from "../../src/platform/log";
import { look } from "../support/look";

const [file = "", env = "{}", seconds = "0"] = Bun.argv.slice(2);
const db = await openDb(file);
const now = () => new Date();
const config = loadConfig({ APP_SECRET: "a-secret-for-this-bench-only-012345", ...JSON.parse(env) });
const mail = openMail({ config, now });
const megabytes = () => process.memoryUsage.rss() / 2 ** 20;

let [startRss, maxRss] = [0, 0];
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const [startedAt, before] = [performance.now(), process.cpuUsage()];
const sender = new Sender({ config, db, log: createLog("error"), now, mail }, { write: writeEmails }).start();
const elapsed = () => (performance.now() - startedAt) / 1_000;
while (!(await look(db, "select 1 from broadcasts where state = 'sent'")).length && elapsed() < Number(seconds)) {
  maxRss = Math.max(maxRss, megabytes());
  if (!startRss && (await look(db, "select 1 from broadcasts where accepted > 0")).length) startRss = megabytes(); // warm
  await Bun.sleep(50);
}
const { user, system } = process.cpuUsage(before);
const cost = {
  seconds: elapsed(),
  processor: (user + system) / 1e6,
  ...{ startRss, maxRss, stallP99: delay.percentile(99) / 1e6 },
};
await sender.close();
await mail.provider.close();
await db.close();
console.log(JSON.stringify(cost));
