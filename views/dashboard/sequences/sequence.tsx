import type { NextDue } from "../../../db/sequences/report";
import type { NamedSequence, Sequence } from "../../../db/sequences/sequences";
import { Fact } from "../../components/fact";
import { Check, Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Menu, MenuButton, MenuLink } from "../../components/lists/row-actions";
import { Moment } from "../../components/time";
import { Avatar } from "../../components/who";
import { paths } from "../../paths";
import { titleOf } from "../broadcasts/state";
import { DialogFooter } from "../dialog";
import { Crumb, Head } from "../shell";
import { Flow, isFirstOf, type StepRow, waitWords } from "./flow";
import { path, SequenceBadge, triggerWords, whyPaused } from "./sequences";

export type SequenceView = {
  frame: Frame;
  sequence: NamedSequence;
  /** What whoever begins now gets. */
  steps: StepRow[];
  /** What is being written: the first emails, or new ones. */
  drafts: StepRow[];
  /** What was sent, or still is, to people who keep an earlier version. */
  earlier: StepRow[];
  /** Who gets an email next, while it runs. */
  next: NextDue[];
  people: { entered: number; waiting: number; held: number; underWay: number; done: number; stopped: number };
  /** Of the email that comes before all others, if people get that. */
  welcomeSubject: string;
  /** Who may begin it, in words. */
  segmentWords: string;
  /** How many people should have got an email days ago; more than a hundred are a hundred and one. */
  late: number;
  /** Whether the pause needs a look at the addresses, or the backup. */
  needsReview: boolean;
};

export const SequencePage = (view: SequenceView) => (
  <>
    <Crumb href={path}>Sequences</Crumb>
    <Head
      title={view.sequence.name}
      lead={
        <span class="state-line">
          <SequenceBadge state={view.sequence.state} />
          <span>{triggerWords(view.sequence)}</span>
        </span>
      }
    >
      <Actions {...view} />
    </Head>
    <div class="stack wide sequence">
      {view.sequence.state === "paused" && <PausedNote {...view} />}
      <div class="with-known">
        <div class="stack wide">
          {hasWelcome(view.sequence) && <Welcome {...view} />}
          {(view.sequence.state === "draft" || view.drafts.length > 0) && <Drafts {...view} />}
          {view.steps.length > 0 && <Emails {...view} rows={view.steps} title="Emails" />}
          {view.earlier.length > 0 && <Emails {...view} rows={view.earlier} title="Earlier versions" />}
        </div>
        <div class="known">
          {view.next.length > 0 && <NextToGo {...view} />}
          <Whereabouts {...view} />
        </div>
      </div>
    </div>
  </>
);

type LinkProps = { href: string; id: string; isPrimary?: boolean; children?: string };

/** Opens a dialog. */
const Opener = ({ href, id, isPrimary, children }: LinkProps) => (
  <a class={isPrimary ? "btn primary" : "btn quiet"} id={id} href={href} hx-get={href} hx-target="#dialog">
    {children}
  </a>
);

/** Begins a new version of the emails of a sequence that was started, or leads to the one that is being written. */
export const EditEmails = ({ frame, sequence: { id, state, version } }: { frame: Frame; sequence: Sequence }) =>
  state === "on" || state === "paused" ? (
    <Form action={`${paths.sequence(id)}/edit`} token={frame.token} plain label="Edit emails">
      <input type="hidden" name="version" value={String(version)} />
      <button type="submit" class="btn" id="edit">
        <Icon name="pencil" />
        Edit emails
      </button>
    </Form>
  ) : null;

const Actions = ({ frame, sequence, drafts }: SequenceView) => {
  const { state, version } = sequence;
  const here = paths.sequence(sequence.id);
  return (
    <>
      {state === "on" && (
        <Form action={`${here}/pause`} token={frame.token} plain label="Pause">
          <input type="hidden" name="version" value={String(version)} />
          <button type="submit" class="btn" id="pause">
            <Icon name="pause" />
            Pause
          </button>
        </Form>
      )}
      {drafts.length === 0 && <EditEmails frame={frame} sequence={sequence} />}
      {state === "draft" && drafts.length > 0 && (
        <Opener id="start" href={`${here}/start`} isPrimary>
          Review and start…
        </Opener>
      )}
      {state !== "off" && (
        <Menu id="sequence" label="More actions for this sequence">
          <MenuLink id="define" href={`${here}/define`} icon="pencil">
            Change…
          </MenuLink>
          {state === "draft" ? (
            <MenuLink id="delete" href={`${here}/delete`} icon="trash-2">
              Delete…
            </MenuLink>
          ) : (
            <MenuLink id="end" href={`${here}/end`} icon="ban">
              End…
            </MenuLink>
          )}
        </Menu>
      )}
    </>
  );
};

const PausedNote = ({ frame, sequence, steps, late, needsReview }: SequenceView) => {
  const detail = steps.find(({ broadcast }) => broadcast.stateDetail)?.broadcast.stateDetail;
  return (
    <div class={sequence.reason === "manager" ? "note" : "note bad"}>
      <Icon name="triangle-alert" />
      <div class="stack">
        <p>
          <strong>{whyPaused(sequence)}</strong> Nothing is being sent. People who begin it wait.
          {detail && ` The provider says: “${detail}”`}
        </p>
        <Form action={`${paths.sequence(sequence.id)}/resume`} token={frame.token} label="Resume" class="stack">
          <input type="hidden" name="version" value={String(sequence.version)} />
          {late > 0 && <LateChoice late={late} />}
          {needsReview && <Check scope="resume" name="reviewed" label="I have looked at it" />}
          <p>
            <button type="submit" class="btn primary" id="resume">
              <Icon name="play" />
              Resume
            </button>
          </p>
        </Form>
      </div>
    </div>
  );
};

const lateChoices = [
  ["send", "Send it now"],
  ["skip", "Skip it, and go on with the next"],
  ["stop", "Stop the sequence for them"],
] as const;

const LateChoice = ({ late }: { late: number }) => (
  <fieldset class="field">
    <legend>
      {late > 100 ? "More than 100 people" : plural(late, "person", "people")} should have got an email over three days
      ago
    </legend>
    {lateChoices.map(([value, label], at) => (
      <span class="check">
        <input type="radio" id={`late-${value}`} name="late" value={value} checked={at === 0} />
        <label for={`late-${value}`}>{label}</label>
      </span>
    ))}
  </fieldset>
);

/** An email, and when it is sent. */
const emailColumn = ({ sequence }: SequenceView, rows: StepRow[]): Column<StepRow> => ({
  title: "Email",
  kind: "main",
  cell: ({ step, broadcast }) => (
    <>
      <a class="who" href={`${paths.broadcasts}/${broadcast.id}`} id={`open-${broadcast.id}`}>
        {titleOf(broadcast)}
      </a>
      <span class="sub">
        {step.edition < sequence.edition && `Version ${step.edition} · `}
        {waitWords(step, isFirstOf(rows, step))}
      </span>
    </>
  ),
});

const hasWelcome = ({ state, trigger }: NamedSequence) =>
  state !== "off" && (trigger === "subscribed" || trigger === "confirmed");

/** The email that everyone gets before the first one, whatever the sequence's status is. */
const Welcome = ({ frame, sequence, welcomeSubject }: SequenceView) => {
  const href = `${paths.welcome}?sequence=${sequence.id}`;
  return (
    <section class="card" aria-labelledby="welcome-title">
      <header class="spread">
        <h2 id="welcome-title">Welcome email</h2>
        {frame.may(paths.welcome) && (
          <a class="btn quiet sm" href={href} id="edit-welcome">
            Edit and preview
          </a>
        )}
      </header>
      <div class="body">
        <p>{welcomeSubject}</p>
        <p class="hint">
          Before all others: immediately, even while this sequence is paused. An email that waits for days never comes
          on the same day.
        </p>
      </div>
    </section>
  );
};

/** Emails that were started, and who is where. */
const Emails = ({ rows, title, ...view }: SequenceView & { rows: StepRow[]; title: string }) => (
  <section class="stack list" aria-label={title}>
    <header class="spread">
      <h2>{title}</h2>
    </header>
    <Flow rows={rows} edition={view.sequence.edition} people={view.people} />
  </section>
);

/** The emails that are being written: the first ones, or new ones beside those that people get until they are published. */
const Drafts = (view: SequenceView) => {
  const { frame, sequence, drafts } = view;
  const here = paths.sequence(sequence.id);
  const isNew = sequence.state !== "draft";
  const title = isNew ? "New version" : "Emails";
  const canDelete = !isNew || drafts.length > 1;
  return (
    <section class="stack list" aria-label={title}>
      <header class="spread">
        <h2>{title}</h2>
        <div class="row">
          <a class="btn" id="add-email" href={`${here}/emails`} hx-get={`${here}/emails`} hx-target="#dialog">
            <Icon name="plus" />
            Add email
          </a>
          {isNew && (
            <>
              <Opener id="discard" href={`${here}/discard`}>
                Discard…
              </Opener>
              <Opener id="publish" href={`${here}/publish`} isPrimary>
                Review and publish…
              </Opener>
            </>
          )}
        </div>
      </header>
      {isNew && (
        <p class="hint">
          People get the emails below until you publish these. Someone who had an email does not get it again when you
          change its text: delete it and add a new one if they should.
        </p>
      )}
      {drafts.length === 0 ? (
        <p class="hint">Add the first email. You write it in the same editor as broadcasts.</p>
      ) : (
        <Form action={here} token={frame.token} label={title}>
          <input type="hidden" name="version" value={String(sequence.version)} />
          <ColumnTable
            caption={title}
            columns={[emailColumn(view, drafts)]}
            rows={drafts}
            actions={(row) => <StepActions here={here} row={row} canDelete={canDelete} isFirst={row === drafts[0]} />}
          />
        </Form>
      )}
    </section>
  );
};

type StepActionsProps = { here: string; row: StepRow; isFirst: boolean; canDelete: boolean };

const StepActions = ({ here, row: { broadcast }, isFirst, canDelete }: StepActionsProps) => {
  const [title, at] = [titleOf(broadcast), `${here}/emails/${broadcast.id}`];
  return (
    <Menu id={broadcast.id} label={`Actions for ${title}`}>
      <MenuLink id={`wait-${broadcast.id}`} href={`${at}/wait`} icon="clock">
        Change when it is sent…
      </MenuLink>
      {!isFirst && (
        <MenuButton id={`up-${broadcast.id}`} action={`${at}/up`} icon="chevron-up" isPlain>
          Move up
        </MenuButton>
      )}
      {canDelete && (
        <MenuButton id={`remove-${broadcast.id}`} action={`${at}/remove`} icon="trash-2" isPlain hotkey="#">
          Delete
        </MenuButton>
      )}
    </Menu>
  );
};

const oftenWords = ({ againDays }: Pick<NamedSequence, "againDays">) =>
  againDays === null ? "Once" : `Again, ${againDays} days or more after its end`;

/** Whose email is due next, and which. Who leaves before does not get it. */
const NextToGo = ({ frame, next, steps, earlier }: SequenceView) => {
  const titles = new Map([...steps, ...earlier].map(({ step, broadcast }) => [step.row, titleOf(broadcast)]));
  return (
    <section aria-labelledby="next-title">
      <h2 id="next-title">Next to go</h2>
      <ul class="next-to-go">
        {next.map(({ id, name, email, stepRow, dueAt }) => (
          <li>
            <Avatar name={name || email} />
            <span class="who">
              <a href={`${paths.newsletter}/${id}`}>{name || email}</a>
              <span class="sub">{titles.get(stepRow)}</span>
            </span>
            {dueAt > frame.now ? <Moment at={dueAt} clock={frame} /> : <span class="sub">now</span>}
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Who began it, and where they are. */
const Whereabouts = ({ sequence, people, segmentWords }: SequenceView) => {
  const { entered, waiting, underWay, held, done, stopped } = people;
  return (
    <section aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <dl class="facts">
        <Fact name="Who begins it">
          {segmentWords}
          {sequence.state === "draft" && ". Only what they do after the start counts."}
        </Fact>
        <Fact name="How often">{oftenWords(sequence)}</Fact>
        <Fact name="Began">{number(entered)}</Fact>
        <Fact name="Waiting">{number(waiting + underWay)}</Fact>
        {held > 0 && <Fact name="Paused by themselves">{number(held)}</Fact>}
        <Fact name="Finished">{number(done)}</Fact>
        <Fact name="Left, or stopped">{number(stopped)}</Fact>
      </dl>
    </section>
  );
};

type FormProps = { frame: Frame; form: FormState; action: string; cancel: string; verb: string; version: number };

export const StepForm = ({ frame, form, action, cancel, verb, version }: FormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <input type="hidden" name="version" value={String(version)} />
    <Fields scope="email" {...form} />
    <DialogFooter cancel={cancel}>{verb}</DialogFooter>
  </Form>
);
