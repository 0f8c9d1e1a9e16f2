import { mailboxState } from "../../../db/mailbox/position";
import type { ReportsView } from "../../../views/dashboard/mail/what-comes-back";
import { configuredProvider } from "../../mail/open";
import { mailboxName, readMailboxUrl } from "../../platform/mail-urls";
import type { Deps } from "../deps";

/** How Postroom learns what becomes of the emails it sends. Undefined while it sends none. */
export async function reportsOf({ config, db }: Pick<Deps, "config" | "db">): Promise<ReportsView | undefined> {
  const provider = configuredProvider(config);
  const mailbox = config.BOUNCE_MAILBOX === undefined ? undefined : readMailboxUrl(config.BOUNCE_MAILBOX);
  if (typeof mailbox === "object") {
    const name = mailboxName(mailbox);
    const state = await mailboxState(db, name);
    const { problem, problemAt } = state ?? {};
    return {
      kind: "mailbox",
      name,
      readAt: state?.searchedAt ?? null,
      reports: state?.reports ?? 0,
      answers: state?.answers ?? 0,
      problem: problem && problemAt ? { text: problem, since: problemAt } : undefined,
    };
  }
  const isReported = provider === "resend" && config.MAILER_WEBHOOK_SECRET.length > 0;
  return provider && !isReported ? { kind: "unknown", provider } : undefined;
}
