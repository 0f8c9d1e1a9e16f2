import { Button, EmailLayout, style } from "./email-layout";

export type ConfirmView = {
  siteTitle: string;
  /** Who writes: a person, a postal address. */
  sender: string[];
  siteUrl: string;
  confirmUrl: string;
  unsubscribeUrl: string;
};

const title = "Confirm your subscription";
const lead = (siteTitle: string) =>
  `Someone entered this address to receive the newsletter of ${siteTitle}. If that was you, confirm it.`;
const otherwise = "If it was not you, ignore this email. You will not receive the newsletter.";

/** Names no one: what a visitor typed goes to no stranger's inbox (D33, N8). */
export const ConfirmEmail = ({ siteTitle, siteUrl, sender, confirmUrl, unsubscribeUrl }: ConfirmView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={title}
    preheader={otherwise}
    footer={
      <>
        <p class="quiet" style={style.quiet}>
          This address was entered at{" "}
          <a class="link" href={siteUrl} style={style.link}>
            {new URL(siteUrl).host}
          </a>
          .{" "}
          <a class="link" href={unsubscribeUrl} style={style.link}>
            Unsubscribe
          </a>
        </p>
        <p class="quiet" style={style.quiet}>
          {[siteTitle, ...sender].join(" · ")}
        </p>
      </>
    }
  >
    <p class="ink" style={style.text}>
      {lead(siteTitle)}
    </p>
    <Button href={confirmUrl}>Confirm subscription</Button>
    <p class="ink" style={style.text}>
      The link works for seven days. {otherwise}
    </p>
  </EmailLayout>
);

export const confirmText = (view: ConfirmView) => `${title}

${lead(view.siteTitle)}

${view.confirmUrl}

The link works for seven days. ${otherwise}

Unsubscribe:
${view.unsubscribeUrl}

--${" "}
This address was entered at ${view.siteUrl}
${[view.siteTitle, ...view.sender].join(" · ")}
`;
