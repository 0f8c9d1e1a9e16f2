import { Button, EmailLayout, moment, style } from "./email-layout";

type BackupNoticeView = {
  siteTitle: string;
  siteUrl: string;
  /** When the last good copy was made. */
  lastAt: Date | undefined;
  /** Why the last attempt failed. */
  problem: string | undefined;
  url: string;
};

export const backupNoticeSubject = ({ lastAt }: Pick<BackupNoticeView, "lastAt">) =>
  lastAt ? `No good backup since ${moment(lastAt)}` : "No good backup yet";

const whyOf = ({ lastAt, problem }: BackupNoticeView) =>
  `${lastAt ? `The last good backup is of ${moment(lastAt)}.` : "No backup has been made yet."} ${problem ? `The last attempt failed: ${problem}` : "No attempt failed: perhaps there is no key yet (“npm run postroom -- backup init”)."}`;
const remedy =
  "Check that the server in BACKUP_URL can be reached and has free space. Run “npm run postroom -- backup now” to try again immediately.";

/** Tells the owner that there was no good backup for two periods. */
export const BackupNoticeEmail = (view: BackupNoticeView) => (
  <EmailLayout
    siteTitle={view.siteTitle}
    title={backupNoticeSubject(view)}
    preheader={whyOf(view)}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent by Postroom at {new URL(view.siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {whyOf(view)}
    </p>
    <p class="ink" style={style.text}>
      {remedy}
    </p>
    <Button href={view.url}>Open the overview</Button>
  </EmailLayout>
);

export const backupNoticeText = (view: BackupNoticeView) => `${backupNoticeSubject(view)}

${whyOf(view)}

${remedy}

Open the overview:
${view.url}

--${" "}
Sent by Postroom at ${new URL(view.siteUrl).host}.
`;
