import { Icon } from "../../../components/icon";
import { exact } from "../../../components/time";
import { Crumb, Head } from "../../shell";
import { EmailCard } from "../email-card";
import { BroadcastBadge, path, titleOf } from "../state";
import { PausedNote } from "./paused";
import { Progress } from "./progress";
import { Act } from "./act";
import { SafetyLimits } from "./safety-limits";
import { minuteMs, type RunView } from "./view";

/** A confirmed broadcast until it is sent: progress, duration, pace, and buttons to stop it. */
export const RunPage = (view: RunView) => (
  <div id="broadcast" class="run-page">
    <Crumb href={path}>Broadcasts</Crumb>
    <Head title={titleOf(view.broadcast)} lead={<StateLine {...view} />}>
      <Actions {...view} />
    </Head>
    <div class="stack wide">
      {view.broadcast.state === "paused" && <PausedNote {...view} />}
      {view.isPostNewer && <NewerPost {...view} />}
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
      <BroadcastBadge state={state} />
      <span>{words[state]}</span>
    </span>
  );
};

const Actions = (view: RunView) => {
  const { state, scheduledAt, id } = view.broadcast;
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
      {state === "scheduled" && (
        <Act view={view} act="unschedule" label="Stop">
          <button type="submit" class={isStarting ? "btn primary" : "btn"} id="stop">
            {isStarting ? "Stop, and edit it" : "Unschedule, and edit it"}
          </button>
        </Act>
      )}
      {state !== "scheduled" && (
        <a
          class="btn quiet"
          id="cancel"
          href={`${path}/${id}/cancel`}
          hx-get={`${path}/${id}/cancel`}
          hx-target="#dialog"
        >
          Cancel the rest…
        </a>
      )}
    </>
  );
};

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
