import type { Sequence } from "../../../db/sequences/sequences";
import { paths } from "../../paths";
import { EmailCard } from "../broadcasts/question";
import { Failed, Uncertain } from "../broadcasts/report/report";
import { Figures, type RunView } from "../broadcasts/run/progress";
import { SafetyLimits } from "../broadcasts/run/run";
import { titleOf } from "../broadcasts/state";
import { Crumb, Head } from "../shell";
import { EditEmails } from "./sequence";
import { SequenceBadge } from "./sequences";

type StepView = RunView & { sequence: Sequence };

const recipientsOf = ({ broadcast }: StepView) => `${paths.broadcasts}/${broadcast.id}/recipients`;

/** An email of a sequence that was started: who got it so far, and what the provider reported. */
export const StepPage = (view: StepView) => (
  <div id="broadcast" class="run-page">
    {view.frame.may(paths.sequence(view.sequence.id)) && (
      <Crumb href={paths.sequence(view.sequence.id)}>{view.sequence.name}</Crumb>
    )}
    <Head
      title={titleOf(view.broadcast)}
      lead={
        <span class="state-line">
          <SequenceBadge state={view.sequence.state} />
          <span>An email of the sequence “{view.sequence.name}”.</span>
        </span>
      }
    >
      {view.frame.may(recipientsOf(view)) && (
        <a class="btn quiet" href={recipientsOf(view)} id="recipients">
          Recipients
        </a>
      )}
      <EditEmails frame={view.frame} sequence={view.sequence} />
    </Head>
    <div class="stack wide">
      <Uncertain {...view} />
      <Failed {...view} />
      <Figures broadcast={view.broadcast} />
      <div class="columns">
        <SafetyLimits broadcast={view.broadcast} />
        <EmailCard {...view} />
      </div>
    </div>
  </div>
);
