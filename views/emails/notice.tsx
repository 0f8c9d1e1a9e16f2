import { Button, EmailLayout, style } from "./email-layout";

/** What an email tells the owner: a few paragraphs, and where to look. */
export type Notice = {
  subject: string;
  paragraphs: string[];
  /** What the button says, and where it leads. */
  button: string;
  url: string;
};

type NoticeView = Notice & { siteTitle: string; siteUrl: string };

/** Tells the owner something. */
export const NoticeEmail = ({ siteTitle, siteUrl, subject, paragraphs, button, url }: NoticeView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={subject}
    preheader={paragraphs[0] ?? ""}
    footer={
      <p class="quiet" style={style.quiet}>
        {sentBy(siteUrl)}
      </p>
    }
  >
    {paragraphs.map((paragraph) => (
      <p class="ink" style={style.text}>
        {paragraph}
      </p>
    ))}
    <Button href={url}>{button}</Button>
  </EmailLayout>
);

export const noticeText = ({ siteUrl, subject, paragraphs, button, url }: NoticeView) => `${subject}

${paragraphs.join("\n\n")}

${button}:
${url}

--${" "}
${sentBy(siteUrl)}
`;

const sentBy = (siteUrl: string) => `Sent by Postroom at ${new URL(siteUrl).host}.`;
