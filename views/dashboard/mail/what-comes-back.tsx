import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { OnTheServer } from "../../components/help";
import { Time } from "../../components/time";

/** How Postroom learns what became of accepted emails. */
export type ReportsView =
  /** It does not: nothing tells it. */
  | { kind: "unknown"; provider: "resend" | "smtp" }
  | {
      kind: "mailbox";
      /** Without its password. */
      name: string;
      readAt: Date | null;
      reports: number;
      answers: number;
      problem: { text: string; since: Date } | undefined;
    };

type Props = { reports: ReportsView | undefined; frame: Frame };

/** Where bounces, complaints and answers come from; nothing if they are not known. */
export const ReadFrom = ({ reports, frame }: Props) => {
  if (reports?.kind !== "mailbox" || reports.problem) return null;
  const { name, readAt, answers } = reports;
  const counts = `${plural(reports.reports, "report")} and ${plural(answers, "answer")} so far`;
  return (
    <>
      {" "}
      Bounces, complaints and answers are read from {name}
      {readAt ? (
        <>
          , last <Time at={readAt} clock={frame} />: {counts}.
        </>
      ) : (
        ". It has not been read yet."
      )}
    </>
  );
};

/** Says once that bounces, complaints and answers are not known, and why. */
export const NothingComesBack = ({ reports, frame }: Props) => {
  if (reports?.kind === "unknown") return <NotKnown provider={reports.provider} />;
  const problem = reports?.problem;
  if (!problem) return null;
  return (
    <div class="note bad">
      <Icon name="circle-alert" />
      <div>
        <p>
          <strong>The mailbox for bounces cannot be read.</strong> What has arrived in {reports.name} since{" "}
          <Time at={problem.since} clock={frame} /> is not known: {problem.text}
        </p>
        <OnTheServer>
          <p>
            Check <code>BOUNCE_MAILBOX</code>, and run <code>npm run postroom -- doctor</code>. Postroom tries again
            automatically, at least every 15 minutes, and then reads everything that has arrived.
          </p>
        </OnTheServer>
      </div>
    </div>
  );
};

const NotKnown = ({ provider }: { provider: "resend" | "smtp" }) => (
  <div class="note plain">
    <Icon name="circle-alert" />
    <div>
      <p>
        <strong>Later bounces are not known.</strong> Postroom knows which emails were accepted, but not which of them
        bounced or were reported as spam afterwards.
      </p>
      <OnTheServer>
        {provider === "smtp" ? (
          <p>
            Set <code>BOUNCE_MAILBOX</code> to the mailbox in which delivery reports arrive, such as{" "}
            <code>imaps://user:password@imap.example.com/INBOX</code>, in the environment of the service. Then restart
            it.
          </p>
        ) : (
          <p>
            Add a webhook in Resend’s dashboard, and set <code>MAILER_WEBHOOK_SECRET</code> to its signing secret in the
            environment of the service. Then restart it.
          </p>
        )}
      </OnTheServer>
    </div>
  </div>
);
