/**
 * `npm run bench charts [few] [many]`: what Overview costs with few and with many subscribers of two years and ten
 * sources, side by side in one run, in processor time (B9). A chart reads a row for each day and source, so 10,000
 * people cost as much as 1,000,000.
 */
import { growthSince } from "../../db/newsletter/counts";
import { look } from "../support/look";
import { testService } from "../support/service";
import { atMost, conclude, type Figure } from "../support/figures";

const [few = 10_000, many = 1_000_000] = Bun.argv.slice(2).map(Number).filter(Boolean);
const rounds = 200;
const periods = ["7", "30", "90", "365", "all"];
const dayMs = 86_400_000;
const days = 730;

/** Inserts subscribers with one statement, whose triggers count the days as an import would. */
async function serviceWith(people: number) {
  const service = await testService();
  const first = service.clock.time - (days - 1) * dayMs;
  await look(
    service.db,
    `with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ?1)
       insert into subscribers (id, email, email_key, source, folded, consent_note, created_at, updated_at)
       select 'r' || i, 'r' || i || '@example.com', 'r' || i || '@example.com', 'source ' || (i / ?3 % 10), 'r' || i, 'asked', ?2 + i % ?3 * ?4, ?5 from n`,
    [people, first, days, dayMs, service.clock.time],
  );
  return { ...service, manager: await service.signIn() };
}

/** Microseconds of processor time for one request, the median of many. */
async function costOf(work: () => Promise<Response>): Promise<number> {
  const costs: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const before = process.cpuUsage();
    await (await work()).arrayBuffer();
    const { user, system } = process.cpuUsage(before);
    costs.push(user + system);
  }
  return costs.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

const [small, large] = [await serviceWith(few), await serviceWith(many)];
const figures: Figure[] = [];
for (const period of periods) {
  const request =
    ({ manager }: typeof small) =>
    () =>
      manager.get(`/dashboard?days=${period}`);
  await costOf(request(small)); // warm
  const [a, b] = [await costOf(request(small)), await costOf(request(large))];
  console.log(`${period.padEnd(4)} ${(a / 1_000).toFixed(2)} ms and ${(b / 1_000).toFixed(2)} ms of the processor`);
  figures.push(atMost("B9", `Overview, ${period}: ${many} to ${few} subscribers`, 1.5, b / a));
}
const [{ rows = 0 } = {}] = await look<{ rows: number }>(large.db, "select count(*) as rows from subscriber_days");
const { active, days: counted } = await growthSince(large.db, 0);
const sum = counted.reduce((all, day) => all + day.joined - day.unsubscribed - day.deleted, 0);
if (sum !== active || active !== many) throw new Error(`The days say ${sum} of ${active}`);
figures.push(atMost("B9", `rows that a chart of all time reads at ${many}`, 10_000, rows));
conclude(figures);
process.exit();
