import type { Frame } from "../components/frame";
import { Icon } from "../components/icon";
import { Time } from "../components/time";
import { By } from "../components/who";

/** What someone else saved in the meantime; an empty value means that they removed it. */
export type Theirs = { value: string; by?: string | undefined; at?: Date | undefined };

/** Says that someone else saved in the meantime. */
export const ConflictNote = () => (
  <div class="note" role="alert">
    <Icon name="triangle-alert" />
    <p>
      Someone else saved changes while you were editing. Nothing was overwritten. Choose which values to keep, then save
      again.
    </p>
  </div>
);

type ConflictProps = {
  name: string;
  label: string;
  mine: string;
  theirs: Theirs;
  frame: Frame;
  /** The option that is selected at first. */
  prefer?: "mine" | "theirs";
};

/** Both values, and a choice between them. */
export const ConflictChoice = ({ name, label, mine, theirs, frame, prefer = "mine" }: ConflictProps) => (
  <fieldset class="clash">
    <legend>{label}</legend>
    <input type="hidden" name={name} value={mine} />
    <label>
      <input type="radio" name={`${name}.keep`} value="mine" checked={prefer === "mine"} data-focus />
      <span>
        <strong>Your value</strong>
        <Value text={mine} />
      </span>
    </label>
    <label>
      <input type="radio" name={`${name}.keep`} value="theirs" checked={prefer === "theirs"} />
      <span>
        <strong>Their value</strong>
        {theirs.at && (
          <span class="hint">
            , saved {theirs.by && <By actor={theirs.by} names={frame.names} />} <Time at={theirs.at} clock={frame} />
          </span>
        )}
        <Value text={theirs.value} />
      </span>
    </label>
  </fieldset>
);

const Value = ({ text }: { text: string }) =>
  text ? <span class="value">{text}</span> : <span class="value none">Removed</span>;
