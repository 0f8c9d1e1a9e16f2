import { Button, EmailLayout, moment, plainTable, Row, style } from "./email-layout";

type NewSignInView = {
  siteTitle: string;
  siteUrl: string;
  /** The account's address. */
  email: string;
  /** "Firefox on Linux", from the user agent. */
  device: string;
  at: Date;
  /** The manager's time zone. */
  timeZone: string;
  url: string;
};

/** Tells a manager that a new browser has signed in to their account. */
export const NewSignInEmail = ({ siteTitle, siteUrl, email, device, at, timeZone, url }: NewSignInView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title="New sign-in"
    preheader={`${device}, ${moment(at, timeZone)}`}
    footer={
      <p class="quiet" style={style.quiet}>
        You are receiving this email because you are a manager of {new URL(siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      Someone signed in to the dashboard of {siteTitle} from a browser that has not been used with your account before.
    </p>
    <table {...plainTable} style="margin:0 0 20px">
      <Row label="Account">{email}</Row>
      <Row label="Time">{moment(at, timeZone)}</Row>
      <Row label="Device">{device}</Row>
    </table>
    <p class="ink" style={style.text}>
      If this was you, you don’t need to do anything.
    </p>
    <p class="ink" style={style.text}>
      If it wasn’t, change your password now. That signs you out of all other devices. Then remove any passkeys that are
      not yours, and tell an owner.
    </p>
    <Button href={url}>Open your account</Button>
  </EmailLayout>
);

export const newSignInText = ({ siteTitle, siteUrl, email, device, at, timeZone, url }: NewSignInView) => `New sign-in

Someone signed in to the dashboard of ${siteTitle}
from a browser that has not been used with your account before.

Account: ${email}
Time:    ${moment(at, timeZone)}
Device:  ${device}

If this was you, you don’t need to do anything.
If it wasn’t, change your password now. That signs you out of all other devices. Then remove any passkeys that are not yours, and tell an owner.

Open your account:
${url}

--${" "}
You are receiving this email because you are a manager of ${new URL(siteUrl).host}.
`;
