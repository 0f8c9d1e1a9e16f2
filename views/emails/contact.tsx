import { Linked } from "../components/linked";
import { plural } from "../components/list";
import type { Translator } from "../languages/translator";
import { Aside, Button, EmailLayout, filled, moment, plainTable, Row, sans, style } from "./email-layout";

type ContactNotificationView = {
  siteTitle: string;
  siteUrl: string;
  name: string;
  email: string;
  source: string;
  message: string;
  receivedAt: Date;
  url: string;
};

/** Everything the visitor wrote is text, never markup. Replying to the email replies to the visitor. */
export const ContactNotificationEmail = ({ siteTitle, siteUrl, url, ...message }: ContactNotificationView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={`New message from ${message.name}`}
    preheader={[...message.message].slice(0, 140).join("").replaceAll("\n", " ")}
    footer={<Footer siteUrl={siteUrl} name={message.name} />}
  >
    <Particulars {...message} />
    <Aside
      class="well ink"
      {...filled("#fbf9f5")}
      style={`padding:16px 20px;font-size:16px;line-height:26px;color:#251f19;background-color:#fbf9f5;border-left:3px solid #095d6c;border-radius:0 7px 7px 0;overflow-wrap:anywhere;${sans}`}
    >
      {message.message.split("\n").map((line, i) => (
        <>
          {i > 0 && <br />}
          {line}
        </>
      ))}
    </Aside>
    <Button href={url}>Open in the dashboard</Button>
  </EmailLayout>
);

type Particulars = Pick<ContactNotificationView, "name" | "email" | "source" | "receivedAt">;

const Particulars = ({ name, email, source, receivedAt }: Particulars) => (
  <table {...plainTable} style="margin:0 0 20px">
    <Row label="Name">{name}</Row>
    <Row label="Email">
      <a class="link" href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`} style={style.link}>
        {email}
      </a>
    </Row>
    <Row label="Source">{source}</Row>
    <Row label="Received">{moment(receivedAt)}</Row>
  </table>
);

const Footer = ({ siteUrl, name }: { siteUrl: string; name: string }) => (
  <p class="quiet" style={style.quiet}>
    Reply to this email to answer {name}. It was sent from the contact form at {new URL(siteUrl).host}.
  </p>
);

export const contactNotificationText = (view: ContactNotificationView) => `New message from ${view.name}

Name:     ${view.name}
Email:    ${view.email}
Source:   ${view.source}
Received: ${moment(view.receivedAt)}

${view.message}

Open in the dashboard:
${view.url}

--${" "}
Reply to this email to answer ${view.name}. It was sent from the contact form at ${new URL(view.siteUrl).host}.
`;

type QuarantineSummaryView = { siteTitle: string; siteUrl: string; count: number; url: string };

export const quarantineSubject = ({ count }: Pick<QuarantineSummaryView, "count">) =>
  `${plural(count, "message")} in quarantine`;

const why =
  "More messages arrived through your contact form within an hour than your limit allows. The rest are stored in Quarantine. Nothing was lost.";
const what =
  "For now, you receive one summary an hour instead of an email for each message. Please review the messages and release the genuine ones.";

/** Replaces the notification of each message while there are too many. */
export const QuarantineSummaryEmail = ({ siteTitle, siteUrl, count, url }: QuarantineSummaryView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={quarantineSubject({ count })}
    preheader={why}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent from the contact form at {new URL(siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {why}
    </p>
    <p class="ink" style={style.text}>
      {what}
    </p>
    <Button href={url}>Open the quarantine</Button>
  </EmailLayout>
);

export const quarantineSummaryText = ({
  siteUrl,
  count,
  url,
}: QuarantineSummaryView) => `${quarantineSubject({ count })}

${why}

${what}

Open the quarantine:
${url}

--${" "}
Sent from the contact form at ${new URL(siteUrl).host}.
`;

type ReplyView = {
  t: Translator;
  subject: string;
  text: string;
  /** What is answered, and who wrote it when. */
  answered: { text: string; name: string; at: Date };
};

/** A letter from one person to another: the words, and below them what they answer. Nothing else. */
export const ReplyEmail = ({ t, subject, text, answered }: ReplyView) => (
  <html {...t.root}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{subject}</title>
    </head>
    <body>
      <div
        dir="auto"
        style="font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;overflow-wrap:anywhere"
      >
        <Paragraphs text={text} />
        <p style="margin:28px 0 8px;font-size:14px;line-height:20px;opacity:0.75">{introduction(t, answered)}</p>
        <blockquote style="margin:0;padding:0 0 0 14px;border-left:2px solid #8a8178;font-size:14px;line-height:20px;opacity:0.75">
          <Paragraphs text={answered.text} />
        </blockquote>
      </div>
    </body>
  </html>
);

/** Blank lines separate paragraphs; other line breaks stay. */
const Paragraphs = ({ text }: { text: string }) => (
  <>
    {text.split(/\n{2,}/).map((paragraph) => (
      <p style="margin:0 0 16px">
        {paragraph.split("\n").map((line, i) => (
          <>
            {i > 0 && <br />}
            <Linked text={line} />
          </>
        ))}
      </p>
    ))}
  </>
);

const introduction = (t: Translator, { name, at }: ReplyView["answered"]) =>
  t("reply.wrote", { date: t.date(at, { dateStyle: "long" }), name });

export const replyText = ({ t, text, answered }: ReplyView) =>
  `${text}\n\n${introduction(t, answered)}\n${answered.text
    .split("\n")
    .map((line) => (line ? `> ${line}` : ">"))
    .join("\n")}\n`;
