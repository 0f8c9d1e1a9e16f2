import { plural } from "../components/list";
import { Button, EmailLayout, style } from "./email-layout";

type QuarantineSummaryView = { siteTitle: string; siteUrl: string; count: number; url: string };

export const quarantineSubject = ({ count }: Pick<QuarantineSummaryView, "count">) =>
  `${plural(count, "message")} in quarantine`;

const why =
  "More messages arrived through your contact form within an hour than your limit allows. The rest are stored in Quarantine. Nothing was lost.";
const what =
  "For now, you receive one summary an hour instead of an email for each message. Please review the messages and release the genuine ones.";

/** Replaces the notification of each message while there are too many. */
export const QuarantineSummaryEmail = ({ siteTitle, siteUrl, count, url }: QuarantineSummaryView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={quarantineSubject({ count })}
    preheader={why}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent from the contact form at {new URL(siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {why}
    </p>
    <p class="ink" style={style.text}>
      {what}
    </p>
    <Button href={url}>Open the quarantine</Button>
  </EmailLayout>
);

export const quarantineSummaryText = ({
  siteUrl,
  count,
  url,
}: QuarantineSummaryView) => `${quarantineSubject({ count })}

${why}

${what}

Open the quarantine:
${url}

--${" "}
Sent from the contact form at ${new URL(siteUrl).host}.
`;
