import { bouncesIn } from "../../../../db/broadcasts/brakes";
import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../../db/broadcasts/ledger";
import { Form } from "../../../components/forms/form";
import { Icon } from "../../../components/icon";
import { number, plural } from "../../../components/list";
import { exact, type Reading } from "../../../components/time";
import { stillUnderWay } from "./under-way";
import { path } from "../state";
import type { RunView } from "./view";

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
export const PausedNote = ({ frame, broadcast, underWay }: RunView) => {
  const { id, stateReason, stateDetail, version } = broadcast;
  const { title, about, confirm } = reasonFor(broadcast, frame.preferences);
  const rest = ledgerOf(broadcast).waiting - underWay; // certainly not sent yet
  const shown = stateReason === "bounces" ? "nonexistent" : stateReason === "complaints" ? "complained" : undefined;
  return (
    <div class={stateReason === "manager" ? "note" : "note bad"}>
      <Icon name="triangle-alert" />
      <div class="stack">
        <p>
          <strong>{title}</strong> {about}
          {stateDetail && ` The provider says: “${stateDetail}”`}
          {underWay > 0 && ` ${stillUnderWay(underWay, frame)}`}
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
              {rest > 0 ? `Send to the other ${number(rest)}` : "Resume"}
            </button>
          </Form>
        )}
      </div>
    </div>
  );
};
