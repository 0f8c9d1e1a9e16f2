import type { Overview } from "../../../db/people/overview";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";
import { outcomeOf } from "../broadcasts/report/recipients";
import { mailKinds, MailState } from "../mail/mail-state";
import { Entry, Section } from "./section";

type Props = { frame: Frame; overview: Overview; more: string };

/** The broadcasts someone got, and their outcomes. */
export const ReceivedBroadcasts = ({ frame, overview: { received }, more }: Props) => (
  <Section id="broadcasts" title="Broadcasts" shown={received.rows.length} total={received.total} more={more}>
    {received.rows.map((row) => {
      const { name, tone, at } = outcomeOf({ ...row, subscriberId: null, email: null });
      return (
        <Entry
          href={`${paths.broadcasts}/${row.broadcastId}`}
          title={row.subject || "No subject"}
          state={<Badge tone={tone}>{name}</Badge>}
          at={at ?? row.startedAt}
          frame={frame}
        >
          {row.error}
        </Entry>
      );
    })}
  </Section>
);

/** The emails sent to this person alone. */
export const SingleEmails = ({ frame, overview: { emails }, more }: Props) => (
  <Section id="emails" title="Single emails" shown={emails.rows.length} total={emails.total} more={more}>
    {emails.rows.map(({ id, kind, state, inDoubtSince, sentAt, createdAt, lastError }) => (
      <Entry
        href={`${paths.mails}/${id}`}
        title={mailKinds[kind]}
        state={<MailState mail={{ state, inDoubtSince }} />}
        at={sentAt ?? createdAt}
        frame={frame}
      >
        {lastError}
      </Entry>
    ))}
  </Section>
);
