import type { AuditEvent } from "../../../db/audit";
import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import type { Latest } from "../../../db/contact/conversation";
import type { Message } from "../../../db/contact/messages";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import { spoken, Time } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Activity, groupsOf } from "../audit-sentence";
import { Bar, BroadcastBadge, handedOver, hasReports, path, titleOf } from "../broadcasts/state";
import { lastWords } from "../contact/messages";
import { Head } from "../shell";
import { Backups, type BackupsView } from "./backups";
import { Celebration, type Milestone, Story, type StoryView } from "./story";

/** Amber: someone should decide. */
export type Warning = {
  icon?: string;
  /** Something is broken: red, and first. */
  isBad?: boolean;
  /** Part of the service has stopped until someone deals with it: never folded away, like what is broken. */
  isStop?: boolean;
  text: Child;
  link?: { href: string; text: string };
};

const rank = ({ isBad, isStop }: Warning) => (isBad ? 0 : isStop ? 1 : 2);

/** The warnings. If there are several, those that can wait are folded away, to keep the figures in sight. */
function Attention({ warnings }: { warnings: Warning[] }) {
  const [first, ...others] = warnings.toSorted((a, b) => rank(a) - rank(b));
  if (!first) return null;
  if (others.length === 0) return <Alone warning={first} />;
  const waiting = others.filter((warning) => rank(warning) === 2);
  const folded = waiting.length > 1 ? waiting : []; // folding a single line would save nothing
  return (
    <section class="card attention" aria-labelledby="attention-title">
      <h2 id="attention-title">{plural(warnings.length, "thing")} need attention</h2>
      <Lines warnings={[first, ...others.filter((warning) => !folded.includes(warning))]} />
      {folded.length > 0 && (
        <details>
          <summary>{folded.length} more</summary>
          <Lines warnings={folded} />
        </details>
      )}
    </section>
  );
}

const Alone = ({ warning }: { warning: Warning }) => (
  <section aria-label="Warnings">
    <div class={warning.isBad ? "note bad" : "note"}>
      <Words {...warning} />
    </div>
  </section>
);

const Lines = ({ warnings }: { warnings: Warning[] }) => (
  <ul>
    {warnings.map((warning) => (
      <li class={warning.isBad ? "bad" : undefined}>
        <Words {...warning} />
      </li>
    ))}
  </ul>
);

const Words = ({ icon = "triangle-alert", text, link }: Warning) => (
  <>
    <Icon name={icon} />
    <p>{text}</p>
    {link && (
      <a class="btn sm" href={link.href}>
        {link.text}
      </a>
    )}
  </>
);

/** A step with one button: a link to where it is done, or a form that does it. */
export type Step = {
  title: string;
  isDone: boolean;
  hint: Child;
  link?: { href: string; text: string };
  form?: { action: string; fields: Record<string, string>; text: string };
};

/** The first steps of a new service. Disappears when all are done, or the manager hides it. */
function Checklist({ frame, steps }: { frame: Frame; steps: Step[] }) {
  const next = steps.find(({ isDone }) => !isDone);
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="card" aria-labelledby="checklist-title">
      <header>
        <h2 id="checklist-title">First steps</h2>
        <div class="row">
          <span class="hint">
            {done} of {steps.length} done
          </span>
          <Form action={paths.firstSteps} token={frame.token} plain>
            <button type="submit" class="btn quiet sm" name="firstSteps" value="hidden">
              Hide
            </button>
          </Form>
        </div>
      </header>
      <ol class="steps">
        {steps.map((step) => (
          <Item frame={frame} step={step} isNext={step === next} />
        ))}
      </ol>
    </section>
  );
}

type ItemProps = { frame: Frame; step: Step; isNext: boolean };

const Item = ({ frame, step, isNext }: ItemProps) => (
  <li class={step.isDone ? "done" : undefined}>
    <span class="mark">{step.isDone && <Icon name="check" />}</span>
    <div>
      <h3>
        {step.title}
        {step.isDone && <span class="sr"> (done)</span>}
      </h3>
      {!step.isDone && <p class="hint">{step.hint}</p>}
    </div>
    {!step.isDone && <Button frame={frame} step={step} isNext={isNext} />}
  </li>
);

const Button = ({ frame, step: { link, form }, isNext }: ItemProps) => {
  const look = isNext ? "btn sm primary" : "btn sm";
  return form ? (
    <Form action={form.action} token={frame.token} plain>
      {Object.entries(form.fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={look}>
        {form.text}
      </button>
    </Form>
  ) : link ? (
    <a class={look} href={link.href}>
      {link.text}
    </a>
  ) : null;
};

/** A broadcast being sent, and "About 27 minutes" once its pace is known. */
type Run = { broadcast: Broadcast; left: string | undefined };

/** The broadcasts being sent. poll.js reloads this while there are any. */
export const Running = ({ runs }: { runs: Run[] }) => (
  <div
    id="running"
    class="stack wide"
    {...(runs.length > 0 && { "data-poll": paths.running, "data-topic": "broadcasts" })}
  >
    {runs.map((run) => (
      <RunCard {...run} />
    ))}
  </div>
);

const RunCard = ({ broadcast, left }: Run) => {
  const { id, bounced, softBounced } = broadcast;
  const { recipients, refused } = ledgerOf(broadcast);
  const href = `${path}/${id}`;
  return (
    <section class="card run" id={`run-${id}`} aria-labelledby={`run-title-${id}`}>
      <header>
        <h2 id={`run-title-${id}`}>{titleOf(broadcast)}</h2>
        <BroadcastBadge broadcast={broadcast} />
      </header>
      <div class="body">
        <Bar broadcast={broadcast} />
        <p class="dot-row">
          <span>
            <strong>{number(handedOver(broadcast))}</strong> of {number(recipients)} people
          </span>
          {left && <span>{left} left</span>}
          {refused > 0 && <span>{number(refused)} refused</span>}
          {hasReports(broadcast) && <span>{number(bounced + softBounced)} bounced</span>}
          <a href={href}>View progress</a>
        </p>
      </div>
    </section>
  );
};

type Conversations = Pick<OverviewView, "messages" | "latest" | "frame">;

/** The latest conversations with visitors: when each arrived or came back, and what was written last, as in the inbox. */
const LatestMessages = ({ messages, latest, frame }: Conversations) => (
  <section class="card" aria-labelledby="messages-title">
    <header>
      <h2 id="messages-title">Latest messages</h2>
      <a href={paths.contact}>Open inbox</a>
    </header>
    {messages.length === 0 && <p class="body muted">New messages appear here.</p>}
    <ul class="latest">
      {messages.map((message) => (
        <li>
          <a class={message.readAt ? "who" : "who unread"} href={`${paths.contact}/${message.id}`}>
            {message.name}
            {!message.readAt && <span class="sr"> (unread)</span>}
          </a>
          <Time at={message.surfacedAt} clock={frame} />
          <p>{lastWords(message, latest.get(message.id), frame)}</p>
        </li>
      ))}
    </ul>
  </section>
);

const maxGroups = 8;

/** The latest activity: what someone did several times in a day is told once. */
const LatestEvents = ({ events, frame }: { events: AuditEvent[]; frame: Frame }) => (
  <section class="card" aria-labelledby="events-title">
    <header>
      <h2 id="events-title">Recent activity</h2>
      <a href={paths.audit}>Audit log</a>
    </header>
    {events.length === 0 && <p class="body muted">Changes made by managers appear here.</p>}
    <ul class="latest">
      {groupsOf(events)
        .slice(0, maxGroups)
        .map((group) => (
          <Activity group={group} frame={frame} />
        ))}
    </ul>
  </section>
);

type OverviewView = {
  frame: Frame;
  greeting: string;
  story: StoryView;
  milestone: Milestone | undefined;
  runs: Parameters<typeof Running>[0]["runs"];
  backups: BackupsView;
  unread: { count: number; oldestAt: Date | null };
  messages: Message[];
  /** The last email of each of them that has more than one, by its ID. */
  latest: Map<string, Latest>;
  events: AuditEvent[];
  steps: Step[];
  warnings: Warning[];
};

export const OverviewPage = (view: OverviewView) => (
  <>
    <Head title={view.greeting} lead={waiting(view)} />
    <div class="stack wide">
      <Attention warnings={view.warnings} />
      {view.runs.length > 0 && <Running runs={view.runs} />}
      {view.milestone && <Celebration milestone={view.milestone} frame={view.frame} />}
      <Story {...view.story} />
      {view.steps.length > 0 && <Checklist frame={view.frame} steps={view.steps} />}
      <div class="columns overview">
        <LatestMessages messages={view.messages} latest={view.latest} frame={view.frame} />
        <LatestEvents events={view.events} frame={view.frame} />
      </div>
      <Backups view={view.backups} frame={view.frame} />
    </div>
  </>
);

/** While nothing has happened yet, only the first steps are shown. */
export const FirstRun = ({ frame, greeting, steps }: { frame: Frame; greeting: string; steps: Step[] }) => (
  <>
    <Head title={greeting} lead="Postroom is running. Finish these steps to connect your sites." />
    <div class="first-run">
      <Checklist frame={frame} steps={steps} />
    </div>
  </>
);

function waiting({ unread, frame }: OverviewView) {
  if (!unread.count) return "No unread messages.";
  const oldest = unread.oldestAt && unread.count > 1 ? `, the oldest ${spoken(unread.oldestAt, frame)}` : "";
  return <a href={paths.contact}>{`${plural(unread.count, "unread message")}${oldest}.`}</a>;
}
