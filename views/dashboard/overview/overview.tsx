import type { AuditEvent } from "../../../db/audit";
import type { Message } from "../../../db/contact/messages";
import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { spoken } from "../../components/time";
import { bytes } from "../../components/bytes";
import type { Child } from "../../jsx/jsx-runtime";
import { Attention, type Warning } from "./attention";
import { Growth, type GrowthView } from "./growth";
import { Checklist, type Step } from "./checklist";
import { Head } from "../shell";
import { paths } from "../../paths";
import { Running } from "./running";
import { LatestMessages, LatestEvents } from "./latest";

type OverviewView = {
  frame: Frame;
  greeting: string;
  growth: GrowthView;
  runs: Parameters<typeof Running>[0]["runs"];
  joinedLately: number;
  unread: { count: number; oldestAt: Date | null };
  failedMails: number;
  storage: { nodes: number; used: number; capacity: number };
  messages: Message[];
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
      <Figures {...view} />
      <Growth {...view.growth} />
      {view.steps.length > 0 && <Checklist frame={view.frame} steps={view.steps} />}
      <div class="columns overview">
        <LatestMessages messages={view.messages} frame={view.frame} />
        <LatestEvents events={view.events} frame={view.frame} />
      </div>
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

function waiting({ unread, joinedLately }: OverviewView): string {
  const messages = unread.count ? `${plural(unread.count, "unread message")}` : "No unread messages";
  const people = joinedLately ? `${plural(joinedLately, "new subscriber")}` : "no new subscribers";
  return `${messages} and ${people} in the last 7 days.`;
}

const Figures = ({ frame, joinedLately, unread, failedMails, storage }: OverviewView) => (
  <dl class="card figures">
    <Figure
      label="Active subscribers"
      value={number(frame.counts.active)}
      note={<span class={joinedLately ? "up" : undefined}>+{number(joinedLately)} in 7 days</span>}
      href={paths.newsletter}
    />
    <Figure
      label="Unread messages"
      value={number(unread.count)}
      note={unread.oldestAt ? `Oldest ${spoken(unread.oldestAt, frame)}` : "All caught up"}
      href={paths.contact}
    />
    <Figure
      label="Failed emails"
      value={number(failedMails)}
      note={<span class={failedMails ? "down" : undefined}>Last 7 days</span>}
      href={paths.mails}
    />
    <Figure
      label="Storage used"
      value={storage.nodes ? bytes(storage.used) : "None"}
      note={
        storage.nodes ? `of ${bytes(storage.capacity)} on ${plural(storage.nodes, "node")}` : "No storage connected"
      }
      href={paths.storage}
    />
  </dl>
);

type FigureProps = { label: string; value: string; note: Child; href?: string };

const Figure = ({ label, value, note, href }: FigureProps) => (
  <div>
    <dt>{href ? <a href={href}>{label}</a> : label}</dt>
    <dd class="value">{value}</dd>
    <dd class="about">{note}</dd>
  </div>
);
