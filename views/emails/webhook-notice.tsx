import { Button, EmailLayout, style } from "./email-layout";

type WebhookNoticeView = {
  siteTitle: string;
  siteUrl: string;
  name: string;
  /** The URL that is called. */
  endpoint: string;
  state: "on" | "off" | "broken";
  url: string;
};

export const webhookNoticeSubject = ({ name }: Pick<WebhookNoticeView, "name">) => `Webhook “${name}” turned off`;

const whyOf = ({ endpoint, state }: WebhookNoticeView) =>
  state === "off"
    ? `${endpoint} said that it no longer exists (410). Postroom has stopped calling it.`
    : `No call to ${endpoint} has succeeded for 5 days. Postroom has stopped calling it.`;
const what =
  "Deliveries that are still waiting are kept for 30 days. Once the receiver works again, turn the endpoint on and send the failed deliveries again.";

/** Tells the owner that an endpoint was turned off automatically. */
export const WebhookNoticeEmail = (view: WebhookNoticeView) => (
  <EmailLayout
    siteTitle={view.siteTitle}
    title={webhookNoticeSubject(view)}
    preheader={whyOf(view)}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent by Postroom at {new URL(view.siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {whyOf(view)}
    </p>
    <p class="ink" style={style.text}>
      {what}
    </p>
    <Button href={view.url}>Open the endpoint</Button>
  </EmailLayout>
);

export const webhookNoticeText = (view: WebhookNoticeView) => `${webhookNoticeSubject(view)}

${whyOf(view)}

${what}

Open the endpoint:
${view.url}

--${" "}
Sent by Postroom at ${new URL(view.siteUrl).host}.
`;
