import { Button, EmailLayout, style } from "./email-layout";

type WebhookNoticeView = {
  siteTitle: string;
  siteUrl: string;
  name: string;
  /** The URL that is called. */
  endpoint: string;
  /** It said so itself, with 410. */
  isGone: boolean;
  /** What happens to uploads that it would decide about; undefined if it does not. */
  uploads: string | undefined;
  url: string;
};

export const webhookNoticeSubject = ({ name }: Pick<WebhookNoticeView, "name">) => `Webhook “${name}” turned off`;

const whyOf = ({ endpoint, isGone }: WebhookNoticeView) =>
  isGone
    ? `${endpoint} said that it no longer exists (410). Postroom has stopped calling it.`
    : `No call to ${endpoint} has succeeded for 5 days. Postroom has stopped calling it.`;
const whatFollows = ({ uploads }: WebhookNoticeView) =>
  `Deliveries that are still waiting are kept for 30 days. Once the receiver works again, turn the endpoint on and send the failed deliveries again.${
    uploads ? ` Until then, new uploads wait 15 minutes and are then ${uploads}.` : ""
  }`;

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
      {whatFollows(view)}
    </p>
    <Button href={view.url}>Open the endpoint</Button>
  </EmailLayout>
);

export const webhookNoticeText = (view: WebhookNoticeView) => `${webhookNoticeSubject(view)}

${whyOf(view)}

${whatFollows(view)}

Open the endpoint:
${view.url}

--${" "}
Sent by Postroom at ${new URL(view.siteUrl).host}.
`;
