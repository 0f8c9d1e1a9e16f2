import { Help } from "../../components/help";
import type { PauseReason } from "../../../db/broadcasts/rules";
import type { SequenceCounts } from "../../../db/sequences/report";
import type { NamedSequence } from "../../../db/sequences/sequences";
import { Badge } from "../../components/badge";
import { Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList, number } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Head } from "../shell";

export const path = paths.sequences;

type CountedSequence = NamedSequence & SequenceCounts;

const badges = {
  draft: <Badge tone="off">Draft</Badge>,
  on: <Badge tone="good">On</Badge>,
  paused: <Badge tone="warn">Paused</Badge>,
  off: <Badge tone="off">Ended</Badge>,
};

export const SequenceBadge = ({ state }: Pick<NamedSequence, "state">) => badges[state];

/** What begins it: "When someone gets the tag VIP". */
export function triggerWords({ trigger, tag, topic }: Pick<NamedSequence, "trigger" | "tag" | "topic">): string {
  if (trigger === "tag") return tag ? `When someone gets the tag ${tag}` : "With a tag that was deleted";
  if (trigger === "topic") return `When someone chooses the topic ${topic ?? ""}`;
  return trigger === "confirmed" ? "When someone confirms their address" : "When someone subscribes";
}

const reasons: Record<PauseReason, string> = {
  manager: "Paused by a manager.",
  restored: "It comes from a restored backup: who got an email after that was made is not known here.",
  bounces: "Too many addresses do not exist.",
  complaints: "Too many recipients reported it as spam.",
  refused: "The provider refuses one email after the other.",
  credentials: "The provider rejects the key, the credentials or the sender.",
  quota: "The provider’s quota is used up.",
  letter: "An email cannot be written.",
  segment: "It cannot be read whom an email is for.",
  sequence: "Another of its emails was paused.",
  // What pauses broadcasts alone
  missed: "The start was missed.",
  post: "Its post is not public.",
  late: "More than 100 people should have got an email three days ago.",
};

/** Why it is paused, as a sentence. */
export const whyPaused = ({ reason }: Pick<NamedSequence, "reason">) =>
  Object.entries(reasons).find(([one]) => one === reason)?.[1] ?? "Paused.";

export const SequencesHead = () => (
  <Head
    title="Sequences"
    lead={
      <>
        Emails that people get one after the other, beginning with what they do. <Help of="sequences" />
      </>
    }
  >
    <CreateLink id="new-sequence" href={`${path}/new`} isDialog>
      New sequence
    </CreateLink>
  </Head>
);

const columns: Column<CountedSequence>[] = [
  {
    title: "Name",
    kind: "main",
    cell: (sequence) => (
      <>
        <a class="who" href={`${path}/${sequence.id}`}>
          {sequence.name}
        </a>
        <span class="sub">{triggerWords(sequence)}</span>
      </>
    ),
  },
  { title: "Waiting, by email", kind: "waiting", cell: ({ before }) => <Waiting before={before} /> },
  {
    title: "In it",
    kind: "when num-start",
    cell: ({ inside }) => (
      <>
        {number(inside)} <span class="on-card">in it</span>
      </>
    ),
  },
  { title: "Began", kind: "extra num-start", cell: ({ began }) => number(began) },
  { title: "Status", kind: "state", cell: ({ state }) => <SequenceBadge state={state} /> },
];

/** The emails as beads on a string, each with the people before it. */
const Waiting = ({ before }: Pick<CountedSequence, "before">) =>
  before.length === 0 ? (
    <span class="none">No emails yet</span>
  ) : (
    <ol class="beads">
      {before.map((people, at) => (
        <li class={people === 0 ? "nobody" : undefined}>
          <span class="sr">{`Email ${at + 1}: `}</span>
          {number(people)}
        </li>
      ))}
    </ol>
  );

export const SequenceList = ({ sequences }: { sequences: CountedSequence[] }) =>
  sequences.length === 0 ? (
    <EmptyList label="Sequences" drawing="line" title="No sequences yet">
      <p>A sequence greets new subscribers, teaches a course in ten emails, or follows what someone bought.</p>
    </EmptyList>
  ) : (
    <section class="list sequences" id="list" aria-label="Sequences">
      <ColumnTable caption="Sequences" columns={columns} rows={sequences} />
    </section>
  );

/** A new sequence, or one that is changed: then as it was shown. */
export const SequenceForm = ({
  frame,
  form,
  sequence,
}: {
  frame: Frame;
  form: FormState;
  sequence?: NamedSequence;
}) => (
  <Form action={sequence ? `${path}/${sequence.id}/define` : path} token={frame.token} class="stack">
    {sequence && <input type="hidden" name="version" value={String(sequence.version)} />}
    {sequence && sequence.edition > 0 && (
      <p class="hint">Changes apply to people who begin it from now on. People who are in it go on.</p>
    )}
    <Fields scope="sequence" {...form} />
    <DialogFooter cancel={sequence ? `${path}/${sequence.id}` : path}>
      {sequence ? "Save" : "Create sequence"}
    </DialogFooter>
  </Form>
);
