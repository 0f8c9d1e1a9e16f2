import { Button, EmailLayout, moment, style } from "./email-layout";

/** What an email says that warns of an API key. */
type Warning = { subject: string; what: string; remedy: string };

type KeyWarningView = Warning & { siteTitle: string; siteUrl: string; url: string };

/** A key that may name visitors was used from somewhere else. */
export const networkWarning = ({ name, network, at }: { name: string; network: string; at: Date }): Warning => ({
  subject: `API key “${name}” was used from a new network`,
  what: `On ${moment(at)}, the API key “${name}” was used from ${network}. It was not used from there before. This key may name visitors, so anyone who has it can invent views, subscribers and messages.`,
  remedy:
    "If that is not a server of yours, replace the key and choose “Now”. If your host has changed its addresses, there is nothing to do; a key that is limited to networks works nowhere else. You get at most one such email a week about a key.",
});

/** A key erases people. */
export const erasureWarning = ({ name, at }: { name: string; at: Date }): Warning => ({
  subject: `API key “${name}” erases people`,
  what: `On ${moment(at)}, a program erased someone with the API key “${name}”: what was stored of the subscriber is deleted, and the address gets no more email.`,
  remedy:
    "If no program of yours erases people, turn the key off. It can erase 60 people in an hour, and the audit log has each of them without a name. You get at most one such email a day about a key.",
});

/** Tells the owner. */
export const KeyWarningEmail = (view: KeyWarningView) => (
  <EmailLayout
    siteTitle={view.siteTitle}
    title={view.subject}
    preheader={view.what}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent by Postroom at {new URL(view.siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {view.what}
    </p>
    <p class="ink" style={style.text}>
      {view.remedy}
    </p>
    <Button href={view.url}>Open the key</Button>
  </EmailLayout>
);

export const keyWarningText = ({ subject, what, remedy, url, siteUrl }: KeyWarningView) => `${subject}

${what}

${remedy}

Open the key:
${url}

--${" "}
Sent by Postroom at ${new URL(siteUrl).host}.
`;
