import type { Mail } from "../../../db/mail/outbox";
import { Fact } from "../../components/fact";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { exact } from "../../components/time";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { awaitsTurn, mailKinds, MailState } from "./mail-state";

type FactsProps = { frame: Frame; mail: Mail; repetition: string | undefined };

/** What happened to an email. */
const Facts = ({ frame, mail, repetition }: FactsProps) => (
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
        <Fact name={mail.state === "simulated" ? "Simulated" : "Sent"}>
          <Moment at={mail.sentAt} frame={frame} />
        </Fact>
      )}
      {awaitsTurn(mail, frame) && (
        <Fact name="Next attempt">
          As soon as the hourly limit allows. <a href={paths.limitSettings}>View limits</a>
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

/** An email as it would be sent now, with links that do not work. */
type WrittenEmail = {
  to: string;
  subject: string;
  replyTo?: string | undefined;
  headers: Record<string, string>;
  text: string;
};
type MailView = {
  frame: Frame;
  mail: Mail;
  email: WrittenEmail | undefined;
  from: string;
  /** The ID of the email as which it was sent again. */
  repetition: string | undefined;
  canRepeat: boolean;
};

/** One email: its text, and what happened to it. */
export const MailPage = ({ frame, mail, email, from, repetition, canRepeat }: MailView) => (
  <>
    <Crumb href={paths.mails}>Emails</Crumb>
    <Head title={mail.recipient} lead={email?.subject ?? `${mailKinds[mail.kind]} email`}>
      <Actions frame={frame} mail={mail} canRepeat={canRepeat} />
    </Head>
    <div class="mail">
      <Preview mail={mail} email={email} />
      <div class="stack">
        <Facts frame={frame} mail={mail} repetition={repetition} />
        {email && <Headers email={email} from={from} />}
      </div>
    </div>
  </>
);

const Actions = ({ frame, mail: { id, kind, state }, canRepeat }: Pick<MailView, "frame" | "mail" | "canRepeat">) => {
  const act = (verb: "retry" | "cancel" | "again", icon: string, label: string) => (
    <Form action={`${paths.mails}/${id}/${verb}`} token={frame.token} plain>
      <button type="submit" class={verb === "cancel" ? "btn" : "btn primary"} id={verb}>
        <Icon name={icon} />
        {label}
      </button>
    </Form>
  );
  if (state === "queued") return kind === "sign-in" ? null : act("cancel", "ban", "Cancel");
  if (state === "cancelled") return act("retry", "send", "Send now");
  if (canRepeat) return act("again", "refresh-cw", "Send again");
  return null;
};

const Preview = ({ mail, email }: { mail: Mail; email: WrittenEmail | undefined }) => (
  <section class="card preview" aria-labelledby="preview-title">
    <header>
      <h2 id="preview-title">Message</h2>
      <p class="hint">{mail.kind === "welcome" ? "The unsubscribe link is masked." : "Rendered with current data."}</p>
    </header>
    {email ? (
      <>
        <iframe
          src={`${paths.mails}/${mail.id}/preview`}
          sandbox=""
          title="HTML version"
          referrerpolicy="no-referrer"
        />
        <details>
          <summary>Plain-text version</summary>
          <pre tabindex="0">{email.text}</pre>
        </details>
      </>
    ) : (
      <p class="body">The subscriber or message this email was about has been deleted, so it can no longer be shown.</p>
    )}
  </section>
);

const Headers = ({ email: { to, subject, replyTo, headers }, from }: { email: WrittenEmail; from: string }) => (
  <section class="card" aria-labelledby="headers-title">
    <header>
      <h2 id="headers-title">Headers</h2>
    </header>
    <dl class="body facts headers">
      {Object.entries({ From: from, To: to, "Reply-To": replyTo, Subject: subject, ...headers }).map(
        ([name, value]) =>
          value && (
            <Fact name={name}>
              <Breakable text={value} />
            </Fact>
          ),
      )}
    </dl>
  </section>
);

/** Addresses and URLs go on in the next line after a sign, and not in the middle of a word. */
const Breakable = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=[@/?&=.,;:_-])(?=\S)/).map((part, at) => (
      <>
        {at > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
);
