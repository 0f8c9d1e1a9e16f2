import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { Form } from "../../../components/forms/form";
import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { exact, type Reading } from "../../../components/time";
import { path, settledOf } from "../state";
import type { RunView } from "./view";

/** What happened, what it means, and what must be confirmed before it continues. */
type Reason = { title: string; about: string; confirm?: string };

function reasonFor({ stateReason, bounced, complained, scheduledAt }: Broadcast, preferences: Reading): Reason {
  const reasons: Record<string, Reason> = {
    manager: { title: "Paused by a manager.", about: "Emails that were under way have been settled." },
    missed: {
      title: "It did not start.",
      about: `It was due on ${scheduledAt ? exact(scheduledAt, preferences) : "an earlier day"}, while Postroom was not running. Check that the text is still right.`,
    },
    restored: {
      title: "It comes from a restored backup.",
      about: "Who got it after the backup was made is not known here. Some people may get it twice.",
      confirm: "Some people may get it twice; send it anyway",
    },
    segment: { title: "The audience cannot be read.", about: "Cancel it, and send a copy to a new audience." },
    letter: { title: "The email cannot be written.", about: "Cancel it, and send a copy." },
    bounces: {
      title: `${plural(bounced, "address", "addresses")} bounced.`,
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
export const PausedNote = ({ frame, broadcast }: RunView) => {
  const { id, stateReason, stateDetail, version } = broadcast;
  const { title, about, confirm } = reasonFor(broadcast, frame.preferences);
  const rest = Math.max(0, (broadcast.audience ?? 0) - settledOf(broadcast));
  const shown = stateReason === "bounces" ? "bounced" : stateReason === "complaints" ? "complained" : undefined;
  return (
    <div class={stateReason === "manager" ? "note" : "note bad"}>
      <Icon name="triangle-alert" />
      <div class="stack">
        <p>
          <strong>{title}</strong> {about}
          {stateDetail && ` The provider says: “${stateDetail}”`}
        </p>
        {shown && (
          <p>
            <a href={`${path}/${id}/recipients?outcome=${shown}`}>Show these recipients</a>
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
              {rest ? `Send to the other ${rest.toLocaleString("en-GB")}` : "Resume"}
            </button>
          </Form>
        )}
      </div>
    </div>
  );
};
