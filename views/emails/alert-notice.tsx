import { Button, EmailLayout, moment, style } from "./email-layout";

type AlertNoticeView = {
  siteTitle: string;
  siteUrl: string;
  /** What is wrong, and what that means. */
  title: string;
  detail: string;
  since: Date;
  /** When it was well again; undefined if it is not. */
  clearedAt: Date | undefined;
  /** What to do. */
  remedy: string;
  page: { url: string; text: string };
};

export const alertNoticeSubject = ({ title, clearedAt }: Pick<AlertNoticeView, "title" | "clearedAt">) =>
  clearedAt ? `Resolved: ${title}` : title;

const linesOf = ({ detail, since, clearedAt, remedy }: AlertNoticeView) =>
  clearedAt
    ? [`This was resolved on ${moment(clearedAt)}. It was first seen on ${moment(since)}.`]
    : [detail, remedy, `It was first seen on ${moment(since)}. You will get another email when it is resolved.`];

/** Tells the owner that something is wrong, or no longer is. */
export const AlertNoticeEmail = (view: AlertNoticeView) => (
  <EmailLayout
    siteTitle={view.siteTitle}
    title={alertNoticeSubject(view)}
    preheader={linesOf(view)[0] ?? ""}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent by Postroom at {new URL(view.siteUrl).host}.
      </p>
    }
  >
    {linesOf(view).map((line) => (
      <p class="ink" style={style.text}>
        {line}
      </p>
    ))}
    <Button href={view.page.url}>{view.page.text}</Button>
  </EmailLayout>
);

export const alertNoticeText = (view: AlertNoticeView) => `${alertNoticeSubject(view)}

${linesOf(view).join("\n\n")}

${view.page.text}:
${view.page.url}

--${" "}
Sent by Postroom at ${new URL(view.siteUrl).host}.
`;
