import { Button, EmailLayout, style } from "./email-layout";

type TestMailView = { siteTitle: string; siteUrl: string; from: string; url: string };

/** Sent from the settings page, to test delivery. */
export const TestEmail = ({ siteTitle, siteUrl, from, url }: TestMailView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title="Email is working"
    preheader="A test email from your dashboard."
    footer={
      <p class="quiet" style={style.quiet}>
        A manager of {new URL(siteUrl).host} requested this email.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      This is the test email you requested. Welcome emails and notifications are sent the same way, from {from}.
    </p>
    <Button href={url}>Back to the dashboard</Button>
  </EmailLayout>
);

export const testText = ({ siteUrl, from, url }: TestMailView) => `Email is working

This is the test email you requested. Welcome emails and notifications are sent the same way, from ${from}.

Back to the dashboard:
${url}

--${" "}
A manager of ${new URL(siteUrl).host} requested this email.
`;
