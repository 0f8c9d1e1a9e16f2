import { type Role, roleSentence, roleTexts } from "../components/roles";
import { Button, EmailLayout, style } from "./email-layout";

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
