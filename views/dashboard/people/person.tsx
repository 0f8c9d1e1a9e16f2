import type { Overview } from "../../../db/people/overview";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { suppressionReasons } from "../suppressions/reasons";
import { ReceivedBroadcasts, SingleEmails } from "./received";
import { personPath, StoredData } from "./stored";
import { Activity, WrittenMessages } from "./wrote";

type PersonProps = { frame: Frame; overview: Overview };

/** What happened, newest first. @param more the URL that shows all of it */
export const Happened = ({ frame, overview, more }: PersonProps & { more: string }) => (
  <div class="stack">
    <ReceivedBroadcasts frame={frame} overview={overview} more={more} />
    <SingleEmails frame={frame} overview={overview} more={more} />
    <WrittenMessages frame={frame} overview={overview} more={more} />
    <Activity frame={frame} overview={overview} />
  </div>
);

/** Someone who is not on the list, by the address. */
export const PersonPage = ({ frame, overview }: PersonProps) => (
  <>
    <Crumb href={paths.people}>People</Crumb>
    <Head title={overview.email} lead="Not a subscriber" />
    <div class="mail">
      <Happened frame={frame} overview={overview} more={personPath(overview.email, "/print")} />
      <div class="stack">
        <section class="card" aria-labelledby="facts-title">
          <header>
            <h2 id="facts-title">Address</h2>
          </header>
          <div class="body">
            <Known frame={frame} overview={overview} />
          </div>
        </section>
        <StoredData frame={frame} overview={overview} />
      </div>
    </div>
  </>
);

const Known = ({ frame, overview: { suppression, erased } }: PersonProps) => (
  <dl class="facts">
    <dt>Suppressed</dt>
    <dd>{suppression ? suppressionReasons[suppression.reason] : "No"}</dd>
    {erased.map(({ id, at }) => (
      <>
        <dt>Erased</dt>
        <dd>
          <a href={`${paths.people}/erasures/${id}`}>
            <Time at={at} clock={frame} />
          </a>
        </dd>
      </>
    ))}
  </dl>
);
