import { Linked } from "../components/linked";
import type { Translator } from "../languages/translator";

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
