import type { Mail } from "../../../db/mail/outbox";
import { Fact } from "../../components/fact";
import type { Frame } from "../../components/frame";
import { exact } from "../../components/time";
import { awaitsTurn, mailKinds, MailState } from "./mail-state";
import { paths } from "../../paths";

type FactsProps = { frame: Frame; mail: Mail; repetition: string | undefined };

/** What happened to an email. */
export const Facts = ({ frame, mail, repetition }: FactsProps) => (
  <section class="card" aria-labelledby="facts-title">
    <header>
      <h2 id="facts-title">Delivery</h2>
    </header>
    <dl class="body facts">
      <Fact name="Status">
        <MailState mail={mail} />
      </Fact>
      <Fact name="Type">{mailKinds[mail.kind]}</Fact>
      {mail.lastError && <Fact name={mail.state === "cancelled" ? "Reason" : "Last error"}>{mail.lastError}</Fact>}
      <Fact name="Attempts">{mail.attempts}</Fact>
      <Fact name="Created">
        <Moment at={mail.createdAt} frame={frame} />
      </Fact>
      {mail.sentAt && (
        <Fact name={mail.state === "simulated" ? "Logged" : "Sent"}>
          <Moment at={mail.sentAt} frame={frame} />
        </Fact>
      )}
      {awaitsTurn(mail, frame) && (
        <Fact name="Next attempt">
          As soon as the hourly limit allows. <a href={`${paths.settings}#limits`}>View limits</a>
        </Fact>
      )}
      {mail.state === "queued" && !awaitsTurn(mail, frame) && (
        <Fact name="Next attempt">
          <Moment at={mail.nextAttemptAt} frame={frame} />
        </Fact>
      )}
      {repetition && (
        <Fact name="Sent again">
          <a href={`${paths.mails}/${repetition}`}>View the new email</a>
        </Fact>
      )}
      {mail.providerId && (
        <Fact name="Provider ID">
          <span class="mono">{mail.providerId}</span>
        </Fact>
      )}
      {mail.subjectId && subjects[mail.kind] && (
        <Fact name="Related to">
          <a href={`${subjects[mail.kind]?.path}/${mail.subjectId}`}>{subjects[mail.kind]?.label}</a>
        </Fact>
      )}
    </dl>
  </section>
);

const subjects: Partial<Record<Mail["kind"], { path: string; label: string }>> = {
  contact: { path: paths.contact, label: "View message" },
  welcome: { path: paths.newsletter, label: "View subscriber" },
  confirm: { path: paths.newsletter, label: "View subscriber" },
};

const Moment = ({ at, frame }: { at: Date; frame: Frame }) => (
  <time datetime={at.toISOString()} title={`${exact(at, "UTC")} UTC`}>
    {exact(at, frame.preferences)}
  </time>
);
