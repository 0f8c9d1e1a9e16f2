import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { By } from "../../components/who";
import { OwnersNote } from "../owners-note";
import type { SectionView } from "./field";

export const changeMail =
  "change these values, because they control where email goes, whose name is in it, and what is held back";

/** The section for people who may not change it. */
export const SectionFacts = ({ section, frame }: { section: SectionView; frame: Frame }) => (
  <div class="card">
    <div class="body">
      <OwnersNote what={changeMail} />
      <dl class="facts">
        {section.fields.map(({ label, value }) => (
          <>
            <dt>{label}</dt>
            <dd>{value || <span class="none">Not set</span>}</dd>
          </>
        ))}
      </dl>
      <LastChange change={section.lastChange} frame={frame} />
    </div>
  </div>
);

export const LastChange = ({ change, frame }: { change: SectionView["lastChange"]; frame: Frame }) =>
  change ? (
    <p class="hint">
      Last changed <Time at={change.at} clock={frame} />
      {change.by && (
        <>
          {" "}
          <By actor={change.by} names={frame.names} />
        </>
      )}
    </p>
  ) : null;
