import type { LetterNode, MergeField } from "../newsletter/letter-tree";
import { EmailLayout, style } from "./email-layout";
import { EmailProse, type PictureOf } from "./letter-prose";

type BroadcastView = {
  subject: string;
  preheader: string;
  date?: string | undefined;
  nodes: LetterNode[];
  siteTitle: string;
  siteUrl: string;
  /** Who writes: a person, a postal address. */
  sender: string[];
  browserUrl?: string | undefined;
  unsubscribeUrl: string;
  mark: (field: MergeField) => string;
  pictureOf: PictureOf;
};

/** A broadcast as everyone gets it: marks stand where each recipient's values go. */
export const BroadcastEmail = ({ subject, preheader, date, siteTitle, browserUrl, ...view }: BroadcastView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={subject}
    preheader={preheader}
    date={date}
    browserUrl={browserUrl}
    footer={<Footer siteTitle={siteTitle} {...view} />}
  >
    <EmailProse nodes={view.nodes} mark={view.mark} pictureOf={view.pictureOf} />
  </EmailLayout>
);

type FooterView = Pick<BroadcastView, "siteTitle" | "siteUrl" | "sender" | "unsubscribeUrl">;

const Footer = ({ siteTitle, siteUrl, sender, unsubscribeUrl }: FooterView) => (
  <>
    <p class="quiet" style={style.quiet}>
      You get this because you are subscribed to the newsletter of{" "}
      <a class="link" href={siteUrl} style={style.link}>
        {new URL(siteUrl).host}
      </a>
      .{" "}
      <a class="link" href={unsubscribeUrl} style={style.link}>
        Unsubscribe
      </a>
      . There is no tracking in this email.
    </p>
    <p class="quiet" style={style.quiet}>
      {[siteTitle, ...sender].join(" · ")}
    </p>
  </>
);

/** Below the text of the plain version. */
export const broadcastFooterText = ({
  siteTitle,
  siteUrl,
  sender,
  browserUrl,
  unsubscribeUrl,
}: FooterView & { browserUrl?: string | undefined }) => `--${" "}
${browserUrl ? `View in your browser: ${browserUrl}\n` : ""}You get this because you are subscribed to the newsletter of ${new URL(siteUrl).host}.
Unsubscribe: ${unsubscribeUrl}
There is no tracking in this email.
${[siteTitle, ...sender].join(" · ")}
`;
