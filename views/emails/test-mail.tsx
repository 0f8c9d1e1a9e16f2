import { Button, EmailLayout, style } from "./email-layout";

type TestMailView = { siteTitle: string; siteUrl: string; from: string; url: string };

/** Sent from the settings page, to see that mail arrives. */
export const TestEmail = ({ siteTitle, siteUrl, from, url }: TestMailView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title="Your mail arrives"
    preheader="A test from your dashboard."
    footer={
      <p class="quiet" style={style.quiet}>
        A manager of {new URL(siteUrl).host} asked for this mail.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      This is the test you asked for. Welcome mails and notifications leave the same way, from {from}.
    </p>
    <Button href={url}>Back to the dashboard</Button>
  </EmailLayout>
);

export const testText = ({ siteUrl, from, url }: TestMailView) => `Your mail arrives

This is the test you asked for. Welcome mails and notifications leave the same way,
from ${from}.

Back to the dashboard:
${url}

--${" "}
A manager of ${new URL(siteUrl).host} asked for this mail.
`;
