import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { ledgerOf, reportsOf } from "../../../../db/broadcasts/ledger";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { number, plural } from "../../../components/list";
import { date, exact, timeOfDay } from "../../../components/time";
import type { Child } from "../../../jsx/jsx-runtime";
import { Bar, handedOver, path } from "../state";

/** A confirmed broadcast, as its pages show it. */
export type RunView = {
  frame: Frame;
  broadcast: Broadcast;
  audienceWords: string;
  from: { address: string; name: string };
  /** "About 27 minutes", and when that is over; undefined until a pace is known. */
  left: { words: string; endsAt: Date; perSecond: number } | undefined;
  /** The people whose email is on its way to the provider at this moment: its response decides. */
  underWay: number;
  /** The post has changed since it was frozen. */
  isPostNewer: boolean;
  /** It has just taken the place of another state, without anyone having done anything. */
  isNews?: boolean;
  /** The saved segment that was changed since the broadcast to it was scheduled. */
  newerSegment: string | undefined;
};

/** A start that is sooner is called "now". */
export const minuteMs = 60_000;

/** The part that progress.ts reloads every two seconds. It contains no button, so that the focus stays. */
export const Progress = (view: RunView) => {
  const { id, state, scheduledAt } = view.broadcast;
  const isCounting =
    state === "scheduled" && scheduledAt && scheduledAt.getTime() - view.frame.now.getTime() <= minuteMs;
  return (
    <div
      class="stack wide"
      id="run"
      data-refresh={`${path}/${id}/run?state=${state}`}
      data-counting={isCounting ? true : undefined}
      data-said={said(view.broadcast)}
    >
      {state === "sending" && <PausedSending {...view} />}
      <section class="card run" aria-labelledby="run-title">
        <header>
          <h2 id="run-title">Progress</h2>
          <a class="without-script" href={`${path}/${id}`}>
            Refresh
          </a>
        </header>
        <div class="body">
          <Amount {...view} />
          <Pace {...view} />
        </div>
      </section>
      {state !== "scheduled" && <Figures broadcast={view.broadcast} />}
    </div>
  );
};

const Amount = ({ broadcast }: RunView) => {
  const audience = number(broadcast.audience ?? 0);
  if (broadcast.state === "scheduled")
    return (
      <p class="amount">
        <strong>{audience}</strong>
        <span>{broadcast.audience === 1 ? "person" : "people"}</span>
      </p>
    );
  return (
    <>
      <p class="amount">
        <strong>{number(handedOver(broadcast))}</strong>
        <span>of {number(ledgerOf(broadcast).recipients)} people</span>
      </p>
      <Bar broadcast={broadcast} isTall />
    </>
  );
};

/** What is announced when it changes: steps of ten percent, and every change of state. */
function said(broadcast: Broadcast): string {
  const { state } = broadcast;
  const { recipients, waiting } = ledgerOf(broadcast);
  const percent = Math.floor(((recipients - waiting) / Math.max(1, recipients)) * 10) * 10;
  return state === "sending" ? `${Math.min(percent, 100)}% sent` : state === "paused" ? "Paused" : "Scheduled";
}

const Pace = ({ broadcast, left, underWay, frame }: RunView) => {
  const { state, scheduledAt } = broadcast;
  const rest = ledgerOf(broadcast).waiting - underWay;
  if (state === "scheduled") return <p class="pace">{scheduledAt && <span>{startsIn(scheduledAt, frame)}</span>}</p>;
  if (state === "paused")
    return (
      <p class="pace">
        <span>
          <b>{number(rest)}</b> still to go
        </span>
        {underWay > 0 && (
          <span>
            <b>{number(underWay)}</b> under way
          </span>
        )}
      </p>
    );
  return (
    <p class="pace">
      {left ? (
        <>
          <span>
            <b>{left.words}</b> left
          </span>
          <span>
            <b>{number(Math.max(1, Math.round(left.perSecond)))}</b> a second
          </span>
          <span>
            Ends about <b>{timeOn(left.endsAt, frame)}</b>
          </span>
        </>
      ) : (
        <span>Estimating time left…</span>
      )}
    </p>
  );
};

/** Only the time, if it is today. */
const timeOn = (at: Date, { now, preferences }: RunView["frame"]): string =>
  (date(at, preferences) === date(now, preferences) ? timeOfDay : exact)(at, preferences);

function startsIn(at: Date, frame: RunView["frame"]): string {
  const leftMs = at.getTime() - frame.now.getTime();
  if (leftMs > minuteMs) return `Starts ${exact(at, frame.preferences)}`;
  return leftMs > 0 ? `Starts in ${plural(Math.ceil(leftMs / 1_000), "second")}` : "Starts now";
}

const waits: Record<string, string> = {
  rate: "the provider asked for a slower pace",
  unavailable: "the provider is not available",
  unknown: "the provider does not answer",
  "daily-quota": "the provider’s daily quota is used up",
  "hourly-limit": "your limit of emails per hour is reached",
};

/** No one has to act: it continues automatically. */
const PausedSending = ({ broadcast: { pausedUntil, pausedFor }, frame }: RunView) =>
  pausedUntil && pausedUntil > frame.now ? (
    <div class="note info">
      <Icon name="history" />
      <p>
        <strong>Waiting until {exact(pausedUntil, frame.preferences)}</strong> ({exact(pausedUntil, "UTC")} UTC):{" "}
        {waits[pausedFor ?? ""] ?? "the provider asked to wait"}. Sending continues automatically.
      </p>
    </div>
  ) : null;

type FigureProps = { name: string; value: number | undefined; about: string; href?: string | undefined };

/** A figure that was never reported is not known, which differs from zero. `href` leads to the people it counts. */
export const Figure = ({ name, value, about, href }: FigureProps) => (
  <div>
    <dt>{href && value ? <a href={href}>{name}</a> : name}</dt>
    <dd class={value === undefined ? "value unknown" : "value"}>{value === undefined ? "Not known" : number(value)}</dd>
    <dd class="about">{about}</dd>
  </div>
);

export const Figures = ({ broadcast }: { broadcast: Broadcast }) => {
  const { unsubscribed } = broadcast;
  const { accepted, simulated, refused, uncertain, left, waiting } = ledgerOf(broadcast);
  const { delivered, bounced } = reportsOf(broadcast);
  const reported = (count: number | undefined) => (count === undefined ? "no reports" : "reported so far");
  return (
    <dl class="card figures">
      {simulated > 0 && <Figure name="Simulated" value={simulated} about="only logged" />}
      {(accepted > 0 || !simulated) && <Figure name="Accepted" value={accepted} about="by the provider" />}
      <Figure name="Refused" value={refused} about="by the provider" />
      <Figure name="Uncertain" value={uncertain} about={uncertain ? "no answer came" : "all answered"} />
      <Figure name="Unsubscribed first" value={left} about="before their turn" />
      <Figure name="Waiting" value={waiting} about="for their turn" />
      <Figure name="Delivered" value={delivered} about={reported(delivered)} />
      <Figure name="Bounced" value={bounced} about={reported(bounced)} />
      <Figure name="Unsubscribed" value={unsubscribed} about="by the link in this email" />
    </dl>
  );
};

type ActProps = { view: Pick<RunView, "frame" | "broadcast">; act: string; label: string; children?: Child };

/** A form with one button, for the broadcast as shown. */
export const Act = ({ view: { frame, broadcast }, act, label, children }: ActProps) => (
  <Form action={`${path}/${broadcast.id}/${act}`} token={frame.token} label={label} class="row">
    <input type="hidden" name="version" value={String(broadcast.version)} />
    {children}
  </Form>
);
