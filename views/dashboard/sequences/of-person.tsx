import type { placesOf } from "../../../db/sequences/report";
import { Fact } from "../../components/fact";
import type { Frame } from "../../components/frame";
import { exact, Time } from "../../components/time";
import { path } from "./sequences";

/** A sequence that someone began, and where they are in it. */
export type SequenceOfPerson = Awaited<ReturnType<typeof placesOf>>[number];

const stopped: Record<string, string> = {
  left: "stopped: unsubscribed",
  suppressed: "stopped: suppressed",
  topic: "stopped: left the topic",
  refused: "stopped: the provider refused an email",
  late: "stopped: too late",
  ended: "stopped: the sequence ended",
};

/** The sequences that someone began, the latest first. */
export const SequencesOfPerson = ({ frame, sequences }: { frame: Frame; sequences: SequenceOfPerson[] }) => (
  <Fact name="Sequences">
    {sequences.map((place) => (
      <span class="sub">
        <a href={`${path}/${place.id}`}>{place.name}</a>, <Where frame={frame} place={place} />
      </span>
    ))}
  </Fact>
);

const Where = ({ frame, place: { state, reason, dueAt, endedAt } }: { frame: Frame; place: SequenceOfPerson }) => {
  if (state === "stopped") return <>{stopped[reason ?? ""] ?? "stopped"}</>;
  if (state === "held") return <>paused</>;
  if (state === "claimed") return <>an email is on its way</>;
  if (state === "waiting" && dueAt) return <>next email {exact(dueAt, frame.preferences)}</>;
  return <>finished {endedAt && <Time at={endedAt} clock={frame} />}</>;
};
