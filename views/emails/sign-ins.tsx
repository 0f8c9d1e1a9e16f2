import { type Role, roleSentence, roleTexts } from "../components/roles";
import { Button, EmailLayout, moment, plainTable, Row, style } from "./email-layout";

type InvitationView = {
  siteTitle: string;
  siteUrl: string;
  /** Who invites: a name, or else an email address. */
  inviter: string;
  role: Role;
  url: string;
};

/** An invitation to become a manager. */
export const InvitationEmail = ({ siteTitle, siteUrl, inviter, role, url }: InvitationView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title="Your invitation"
    preheader={`${inviter} invited you to manage ${siteTitle}.`}
    footer={
      <p class="quiet" style={style.quiet}>
        You are receiving this email because {inviter} entered your address on {new URL(siteUrl).host}. If you did not
        expect it, you can ignore it.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {inviter} invited you to manage {siteTitle} as {roleTexts[role].article}. {roleSentence[role]}
    </p>
    <p class="ink" style={style.text}>
      Open the link to choose a name and a password.
    </p>
    <Button href={url}>Accept invitation</Button>
    <p class="ink" style={style.text}>
      The link works once, for three days. Anyone who has it can use it, so please do not forward this email.
    </p>
  </EmailLayout>
);

export const invitationText = ({ siteTitle, siteUrl, inviter, role, url }: InvitationView) => `Your invitation

${inviter} invited you to manage ${siteTitle} as ${roleTexts[role].article}.
${roleSentence[role]}
Open the link to choose a name and a password:
${url}

The link works once, for three days. Anyone who has it can use it, so please do not forward this email.

--${" "}
You are receiving this email because ${inviter} entered your address on ${new URL(siteUrl).host}.
If you did not expect it, you can ignore it.
`;

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
