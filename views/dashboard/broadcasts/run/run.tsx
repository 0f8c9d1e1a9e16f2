import { bouncesIn, bouncesOf, brakes, complaintsOf, type Sample } from "../../../../db/broadcasts/rules";
import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { ledgerOf, reportsOf } from "../../../../db/broadcasts/ledger";
import { DialogLink } from "../../../components/buttons";
import { Form } from "../../../components/forms/form";
import { Icon } from "../../../components/icon";
import { number, plural } from "../../../components/list";
import { exact, type Reading, timeOfDay } from "../../../components/time";
import { paths } from "../../../paths";
import { Crumb, Head } from "../../shell";
import { EmailCard } from "../question";
import { shareOf } from "../report/ledger";
import { BroadcastBadge, path, titleOf } from "../state";
import { Act, minuteMs, Progress, type RunView } from "./progress";

/** What is certain about emails without a response, on a page that does not follow them. */
export const stillUnderWay = (count: number, { now, preferences }: RunView["frame"]): string =>
  `At ${timeOfDay(now, preferences)}, ${plural(count, "email was", "emails were")} still on the way to the provider, which may accept ${count === 1 ? "it" : "them"}.`;

/** What happened, what it means, and what must be confirmed before it continues. */
type Reason = { title: string; about: string; confirm?: string };

function reasonFor(broadcast: Broadcast, preferences: Reading): Reason {
  const { stateReason, complained, scheduledAt } = broadcast;
  const reasons: Record<string, Reason> = {
    manager: { title: "Paused by a manager.", about: "Nothing else is being sent." },
    missed: {
      title: "It did not start.",
      about: `It was due on ${scheduledAt ? exact(scheduledAt, preferences) : "an earlier day"}, while Postroom was not running. Check that the text is still right.`,
    },
    restored: {
      title: "It comes from a restored backup.",
      about: "Who got it after the backup was made is not known here. Some people may get it twice.",
      confirm: "Some people may get it twice; send it anyway",
    },
    post: {
      title: "Its post is not public.",
      about: "They were to go out together. Publish the post first, or send the email without it.",
    },
    segment: { title: "The audience cannot be read.", about: "Cancel it, and send a copy to a new audience." },
    letter: { title: "The email cannot be written.", about: "Cancel it, and send a copy." },
    bounces: {
      title: `${plural(bouncesIn(broadcast), "address does", "addresses do")} not exist.`,
      about: "Postroom pauses before providers block you as a sender. Nothing has been sent since.",
      confirm: "I have reviewed these addresses",
    },
    complaints: {
      title: `${plural(complained, "recipient")} reported it as spam.`,
      about: "Postroom pauses before providers block you as a sender. Nothing has been sent since.",
      confirm: "I have reviewed these complaints",
    },
    refused: { title: "The provider refuses one email after the other.", about: "Correct the cause, then resume." },
    credentials: {
      title: "The provider rejects the key, the credentials or the sender.",
      about: "Correct the configuration and restart Postroom, then resume.",
    },
    quota: { title: "The provider’s quota is used up.", about: "Resume when there is a new one." },
  };
  return reasons[stateReason ?? ""] ?? { title: "Paused.", about: "Nothing is being sent." };
}

/** Why it is paused, and how to resume it. */
const PausedNote = ({ frame, broadcast, underWay }: RunView) => {
  const { id, stateReason, stateDetail, version } = broadcast;
  const { title, about, confirm } = reasonFor(broadcast, frame.preferences);
  const rest = ledgerOf(broadcast).waiting - underWay; // certainly not sent yet
  const outcome = stateReason === "bounces" ? "nonexistent" : stateReason === "complaints" ? "complained" : undefined;
  return (
    <div class={stateReason === "manager" ? "note" : "note bad"}>
      <Icon name="triangle-alert" />
      <div class="stack">
        <p>
          <strong>{title}</strong> {about}
          {stateDetail && ` The provider says: “${stateDetail}”`}
          {underWay > 0 && ` ${stillUnderWay(underWay, frame)}`}
        </p>
        {outcome && (
          <p>
            <a href={`${path}/${id}/recipients?outcome=${outcome}`}>Show these recipients</a>
          </p>
        )}
        {stateReason !== "segment" && stateReason !== "letter" && (
          <Form action={`${path}/${id}/resume`} token={frame.token} label="Resume" class="row">
            <input type="hidden" name="version" value={String(version)} />
            {confirm && (
              <span class="check">
                <input type="checkbox" id="reviewed" name="reviewed" value="yes" required />
                <label for="reviewed">{confirm}</label>
              </span>
            )}
            <button type="submit" class="btn primary" id="resume">
              <Icon name="play" />
              {rest > 0 ? `Send to the other ${number(rest)}` : "Resume"}
            </button>
          </Form>
        )}
      </div>
    </div>
  );
};

/** Bars that fill towards the limits, so that a manager sees a pause coming. */
export const SafetyLimits = ({ broadcast }: { broadcast: Broadcast }) => {
  const [reports, bounces] = [reportsOf(broadcast), bouncesOf(broadcast)];
  return (
    <section class="card" aria-labelledby="brakes-title">
      <header>
        <h2 id="brakes-title">Safety limits</h2>
      </header>
      <div class="body">
        <div class="brakes">
          <Brake
            name="Addresses that do not exist"
            sample={reports.bounced !== undefined || bounces.count > 0 ? bounces : undefined}
            share={brakes.bounces.share}
          />
          <Brake
            name="Complained"
            sample={reports.complained === undefined ? undefined : complaintsOf(broadcast)}
            share={brakes.complaints.share}
          />
        </div>
        <p class="hint">
          From {number(brakes.from)} emails on, too many bounces or complaints pause the broadcast, to protect your
          sender reputation.
          {broadcast.reviewedAnswered > 0 && " The figures are those since it was last resumed."}
        </p>
      </div>
    </section>
  );
};

/** @param sample undefined: nothing was reported */
type BrakeProps = { name: string; sample: Sample | undefined; share: number };

const Brake = ({ name, sample, share }: BrakeProps) => {
  const { count, of } = sample ?? { count: 0, of: 0 };
  const words = sample ? `${number(count)} of ${number(of)}, ${shareOf(count, of)}` : "Not known";
  const limit = `pauses above ${shareOf(share, 1)}`;
  return (
    <div>
      <p class="spread">
        <span>{name}</span>
        <span class="unit">
          {words} · {limit}
        </span>
      </p>
      {sample && (
        <progress
          class={count > share * of ? "bar over" : "bar"}
          max={String(share)}
          value={String(of ? Math.max(0, Math.min(share, count / of)) : 0)}
          aria-label={`${name}: ${words}, ${limit}`}
        />
      )}
    </div>
  );
};

/** A confirmed broadcast until it is sent: progress, duration, pace, and buttons to stop it. */
export const RunPage = (view: RunView) => (
  <div id="broadcast" class={view.isNews ? "run-page arrived" : "run-page"}>
    <Crumb href={path}>Broadcasts</Crumb>
    <Head title={titleOf(view.broadcast)} lead={<StateLine {...view} />}>
      <Actions {...view} />
    </Head>
    <div class="stack wide">
      {view.broadcast.state === "paused" && <PausedNote {...view} />}
      {view.broadcast.withPost && view.broadcast.state === "scheduled" && <WithPost {...view} />}
      {view.isPostNewer && <NewerPost {...view} />}
      {view.newerSegment !== undefined && <NewerSegment {...view} />}
      <Progress {...view} />
      <div class="columns">
        {view.broadcast.state !== "scheduled" && <SafetyLimits broadcast={view.broadcast} />}
        <EmailCard {...view} />
      </div>
    </div>
    <p class="sr" role="status" id="run-said" />
  </div>
);

const StateLine = ({ broadcast, frame }: RunView) => {
  const { state, startedAt, scheduledAt } = broadcast;
  const at = (moment: Date | null) => (moment ? exact(moment, frame.preferences) : "");
  const words = {
    scheduled: `Starts automatically on ${at(scheduledAt)}. You can close this page.`,
    sending: `Since ${at(startedAt)}. You can close this page; sending continues.`,
    paused: "Nothing is being sent.",
  } as Record<string, string>;
  return (
    <span class="state-line">
      <BroadcastBadge broadcast={broadcast} />
      <span>{words[state]}</span>
    </span>
  );
};

const Actions = (view: RunView) => {
  const { state, scheduledAt, withPost, id } = view.broadcast;
  const isStarting = scheduledAt && scheduledAt.getTime() - view.frame.now.getTime() <= minuteMs;
  return (
    <>
      {state === "sending" && (
        <Act view={view} act="pause" label="Pause">
          <button type="submit" class="btn" id="pause">
            <Icon name="pause" />
            Pause
          </button>
        </Act>
      )}
      {state === "scheduled" && !isStarting && !withPost && (
        <a class="btn quiet" id="change-date" href={`${paths.calendar}/move?kind=broadcast&id=${id}`}>
          Change date…
        </a>
      )}
      {state === "scheduled" && (
        <Act view={view} act="unschedule" label="Stop">
          <button type="submit" class={isStarting ? "btn primary" : "btn"} id="stop">
            {isStarting ? "Stop, and edit it" : "Unschedule, and edit it"}
          </button>
        </Act>
      )}
      {state !== "scheduled" && (
        <DialogLink class="btn quiet" id="cancel" href={`${path}/${id}/cancel`}>
          Cancel the rest…
        </DialogLink>
      )}
    </>
  );
};

/** Stopping it here separates the two, so the page says so first. */
const WithPost = ({ broadcast: { postId } }: RunView) => (
  <div class="note info">
    <Icon name="file-text" />
    <p>
      It goes out together with <a href={`${paths.posts}/${postId}`}>its post</a>, and follows it when the post is moved
      or unscheduled. If you stop it here, the post goes out alone.
    </p>
  </div>
);

const NewerSegment = (view: RunView) => (
  <div class="note info">
    <Icon name="users" />
    <p>The segment “{view.newerSegment}” was changed after you confirmed. It goes to the people of then.</p>
    <Act view={view} act="unschedule" label="New segment">
      <button type="submit" class="btn sm" id="take-segment">
        Take the new segment
      </button>
    </Act>
  </div>
);

const NewerPost = (view: RunView) => (
  <div class="note info">
    <Icon name="file-text" />
    <p>The post was changed after you confirmed. What you confirmed is sent.</p>
    {view.broadcast.state === "scheduled" && (
      <Act view={view} act="unschedule" label="New text">
        <button type="submit" class="btn sm" id="take-new">
          Take the new text
        </button>
      </Act>
    )}
  </div>
);
