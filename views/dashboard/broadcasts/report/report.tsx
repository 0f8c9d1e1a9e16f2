import { reportsOf, wentOutWhole } from "../../../../db/broadcasts/ledger";
import { DailyBars, DailyTable, type Series } from "../../../components/charts/daily";
import { Postmark } from "../../../components/drawings";
import { Form } from "../../../components/forms/form";
import { Icon } from "../../../components/icon";
import { number, plural } from "../../../components/list";
import { date, type DateStyle, exact, exactRange } from "../../../components/time";
import { Crumb, Head } from "../../shell";
import { EmailCard } from "../question";
import { Act, Figure, type RunView } from "../run/progress";
import { BroadcastBadge, hasReports, isUnsent, path, titleOf, webPageOf } from "../state";
import { Ledger, shareOf } from "./ledger";

/** Each day for two weeks after it was sent. */
export type DaysOfReport = {
  from: number;
  /** Views of its page; undefined if it has none. */
  views: number[] | undefined;
  unsubscribed: number[];
};

const sumOf = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

/** Two charts with separate scales: a shared one would flatten the smaller. */
const ByDay = ({ from, views, unsubscribed, dates }: DaysOfReport & { dates: DateStyle }) => {
  const left = { name: "Unsubscribed", words: (n: number) => `${number(n)} unsubscribed`, counts: unsubscribed };
  const read = views && { name: "Views", words: (n: number) => plural(n, "view"), counts: views };
  const all = read ? [read, left] : [left];
  const isEmpty = all.every(({ counts }) => sumOf(counts) === 0);
  return (
    <section class="card" aria-labelledby="days-title">
      <header>
        <h2 id="days-title">Day by day</h2>
        <span class="hint">First 14 days, in UTC</span>
      </header>
      <div class="body">
        {unsubscribed.length < 2 ? (
          <p class="muted">Today: {all.map(saidOf).join(", ")}. The charts start on the second day.</p>
        ) : isEmpty ? (
          <p class="muted">{read ? "No one viewed the web page or unsubscribed." : "No one unsubscribed."}</p>
        ) : (
          <figure class="chart">
            {all.map((series) => (
              <Days from={from} series={series} isLoss={series === left} dates={dates} />
            ))}
            <DailyTable from={from} series={all} dates={dates} />
          </figure>
        )}
      </div>
    </section>
  );
};

const saidOf = ({ name, words, counts }: Series) =>
  `${words(sumOf(counts))}${name === "Views" ? " of the web page" : ""}`;

type DaysProps = { from: number; series: Series; isLoss: boolean; dates: DateStyle };

/** The total, and its bars unless all of them are zero. */
const Days = ({ from, series, isLoss, dates }: DaysProps) => (
  <>
    <p class="key">
      <span class={isLoss ? "went" : undefined}>{saidOf(series)}</span>
    </p>
    {sumOf(series.counts) > 0 && (
      <DailyBars id={series.name.toLowerCase()} from={from} series={series} dates={dates} isLoss={isLoss} />
    )}
  </>
);

/** The report of a broadcast: figures that add up, and decisions to make. */
export const ReportPage = (view: RunView & { days: DaysOfReport | undefined }) => (
  <div id="broadcast" class={view.isNews ? "report-page arrived" : "report-page"}>
    <Crumb href={path}>Broadcasts</Crumb>
    {wentOutWhole(view.broadcast) && view.broadcast.finishedAt && (
      <Postmark day={date(view.broadcast.finishedAt, view.frame.preferences)} />
    )}
    <Head title={titleOf(view.broadcast)} lead={<StateLine {...view} />}>
      <Actions {...view} />
    </Head>
    <div class="stack wide">
      <Uncertain {...view} />
      <Failed {...view} />
      {!hasReports(view.broadcast) && view.broadcast.accepted > 0 && <NotKnown />}
      <Figures broadcast={view.broadcast} isLinked />
      <div class="columns seven-five">
        <Ledger broadcast={view.broadcast} />
        <div class="stack wide">
          {view.days && <ByDay {...view.days} dates={view.frame.preferences.dates} />}
          <EmailCard {...view} />
        </div>
      </div>
      {view.broadcast.detailGoneAt && (
        <p class="hint">
          The names of recipients were deleted on {exact(view.broadcast.detailGoneAt, view.frame.preferences)}; the
          figures stay.
        </p>
      )}
    </div>
    <p class="sr" role="status" id="run-said" />
  </div>
);

type FiguresProps = Pick<RunView, "frame" | "broadcast"> & { days: DaysOfReport | undefined };

/** For those who see only figures: neither to whom it went nor what can be done. */
export const FiguresPage = ({ frame, broadcast, days }: FiguresProps) => (
  <div id="broadcast" class="report-page">
    <Crumb href={path}>Broadcasts</Crumb>
    <Head title={titleOf(broadcast)} lead={<StateLine broadcast={broadcast} frame={frame} />} />
    <div class="stack wide">
      {!hasReports(broadcast) && broadcast.accepted > 0 && <NotKnown />}
      <Figures broadcast={broadcast} />
      <div class="columns seven-five">
        <Ledger broadcast={broadcast} isLinked={false} />
        {days && <ByDay {...days} dates={frame.preferences.dates} />}
      </div>
    </div>
    <p class="sr" role="status" id="run-said" />
  </div>
);

type StateProps = Pick<RunView, "broadcast" | "frame"> & { audienceWords?: string };

const StateLine = ({ broadcast, frame, audienceWords }: StateProps) => {
  const { startedAt, finishedAt } = broadcast;
  return (
    <span class="state-line">
      <BroadcastBadge broadcast={broadcast} />
      <span>
        {finishedAt && exactRange(startedAt ?? finishedAt, finishedAt, frame.preferences)}
        {audienceWords !== undefined && `, to: ${audienceWords}`}
      </span>
    </span>
  );
};

const Actions = ({ frame, broadcast }: RunView) => {
  const { id, detailGoneAt } = broadcast;
  const webPage = webPageOf(broadcast);
  return (
    <Form action={`${path}/${id}/newcomers`} token={frame.token} class="row" label="This broadcast" plain>
      {webPage && (
        <a class="btn quiet" href={webPage} target="_blank" rel="noopener" id="web-page">
          <Icon name="external-link" />
          Web page
        </a>
      )}
      {!detailGoneAt && (
        <a class="btn quiet" href={`${path}/${id}/recipients`} id="recipients">
          <Icon name="users" />
          Recipients
        </a>
      )}
      <button type="submit" class="btn quiet" id="copy" formaction={`${path}/${id}/copy`}>
        <Icon name="copy" />
        Copy
      </button>
      <button type="submit" class="btn" id="newcomers">
        <Icon name="send" />
        Send to newer subscribers…
      </button>
    </Form>
  );
};

export const Uncertain = (view: RunView) => {
  const { id, uncertain, uncertainReviewedAt, state, kind } = view.broadcast;
  if (!uncertain || uncertainReviewedAt) return null;
  return (
    <div class="note">
      <Icon name="triangle-alert" />
      <div class="stack">
        <p>
          <strong>It is not known whether {plural(uncertain, "person", "people")} got it.</strong> The provider did not
          answer, and the question cannot be repeated safely. Sending again may reach some of them twice.
        </p>
        <div class="row">
          {(state === "sent" || kind === "step") && (
            <Act view={view} act="resend" label="Send again">
              <input type="hidden" name="to" value="uncertain" />
              <button type="submit" class="btn sm" id="resend-uncertain">
                Send again to {uncertain === 1 ? "this one" : `these ${number(uncertain)}`}
              </button>
            </Act>
          )}
          <Act view={view} act="leave" label="Leave as uncertain">
            <button type="submit" class="btn sm quiet" id="leave-uncertain">
              Leave as uncertain
            </button>
          </Act>
          <a href={`${path}/${id}/recipients?outcome=uncertain`}>Show them</a>
        </div>
      </div>
    </div>
  );
};

export const Failed = (view: RunView) => {
  const { id, failed, state, kind } = view.broadcast;
  if (!failed) return null;
  return (
    <div class="note bad">
      <Icon name="circle-alert" />
      <div class="stack">
        <p>
          <strong>The provider refused {plural(failed, "email")}.</strong>{" "}
          {failed === 1 ? "This person does" : "These people do"} not have it.
        </p>
        <div class="row">
          {(state === "sent" || kind === "step") && (
            <Act view={view} act="resend" label="Try again">
              <input type="hidden" name="to" value="failed" />
              <button type="submit" class="btn sm" id="resend-failed">
                Try again
              </button>
            </Act>
          )}
          <a href={`${path}/${id}/recipients?outcome=failed`}>Show them</a>
        </div>
      </div>
    </div>
  );
};

const NotKnown = () => (
  <div class="note plain">
    <Icon name="circle-alert" />
    <p>
      Nothing has been reported about the accepted emails, so later bounces and complaints are not known. That does not
      mean that there were none.
    </p>
  </div>
);

const leastForShares = 100; // below this, a percentage says nothing

const Figures = ({ broadcast, isLinked = false }: Pick<RunView, "broadcast"> & { isLinked?: boolean }) => {
  const { accepted, simulated, failed, unsubscribed } = broadcast;
  const { delivered, bounced, softBounced, complained } = reportsOf(broadcast);
  const share = (count: number, of: number, word: string) =>
    of >= leastForShares ? `${shareOf(count, of)} of ${number(of)} ${word}` : `of ${number(of)} ${word}`;
  const about = (count: number, of: number, word: string) =>
    isUnsent(broadcast) ? "nothing was sent" : share(count, of, word);
  const reported = (count: number | undefined, of: number, word: string) =>
    count === undefined ? "no reports" : about(count, of, word);
  const all = bounced === undefined ? undefined : bounced + (softBounced ?? 0);
  const peopleWith = (outcome: string) =>
    isLinked && !broadcast.detailGoneAt ? `${path}/${broadcast.id}/recipients?outcome=${outcome}` : undefined;
  return (
    <dl class="card figures">
      {simulated ? (
        <Figure name="Simulated" value={simulated} about="only logged, nothing was sent" />
      ) : (
        <Figure
          name="Delivered"
          value={delivered}
          about={reported(delivered, accepted, "accepted")}
          href={peopleWith("delivered")}
        />
      )}
      {failed > 0 && <Figure name="Refused" value={failed} about={share(failed, accepted + failed, "answered")} />}
      <Figure
        name="Bounced"
        value={all}
        about={reported(all, accepted, "accepted")}
        href={softBounced ? undefined : peopleWith("bounced")}
      />
      <Figure
        name="Complained"
        value={complained}
        about={reported(complained, delivered ?? 0, "delivered")}
        href={peopleWith("complained")}
      />
      <Figure
        name="Unsubscribed"
        value={unsubscribed}
        href={peopleWith("unsubscribed")}
        about={
          delivered === undefined
            ? about(unsubscribed, accepted, "accepted")
            : about(unsubscribed, delivered, "delivered")
        }
      />
    </dl>
  );
};
