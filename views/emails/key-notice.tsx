import { Button, EmailLayout, moment, style } from "./email-layout";

type KeyNoticeView = {
  siteTitle: string;
  siteUrl: string;
  /** The key's name. */
  name: string;
  expiresAt: Date;
  lastUsedAt: Date | null;
  url: string;
};

export const keyNoticeSubject = ({ name, expiresAt }: Pick<KeyNoticeView, "name" | "expiresAt">) =>
  `API key “${name}” expires on ${expiresAt.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" })}`;

const whenOf = ({ name, expiresAt, lastUsedAt }: KeyNoticeView) =>
  `The API key “${name}” works until ${moment(expiresAt)}. From then on, requests with it fail (401). ${lastUsedAt ? `It was last used on ${moment(lastUsedAt)}.` : "It has never been used."}`;
const remedy =
  "If a site still needs it, replace it: the new key has the same limits, and both work for a while, so that nothing is interrupted.";

/** Tells the owner that an API key is about to expire. */
export const KeyNoticeEmail = (view: KeyNoticeView) => (
  <EmailLayout
    siteTitle={view.siteTitle}
    title={keyNoticeSubject(view)}
    preheader={whenOf(view)}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent by Postroom at {new URL(view.siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {whenOf(view)}
    </p>
    <p class="ink" style={style.text}>
      {remedy}
    </p>
    <Button href={view.url}>Open the key</Button>
  </EmailLayout>
);

export const keyNoticeText = (view: KeyNoticeView) => `${keyNoticeSubject(view)}

${whenOf(view)}

${remedy}

Open the key:
${view.url}

--${" "}
Sent by Postroom at ${new URL(view.siteUrl).host}.
`;
