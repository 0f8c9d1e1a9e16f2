import { ConfirmEmail, confirmText, type ConfirmView } from "../../views/emails/confirm";
import type { Config } from "../platform/config";
import type { Letter } from "../mail/provider";
import { document } from "./notices";

/* Single emails to subscribers. They name no one: what a visitor typed must not reach a stranger's inbox (D33). */

/** The unsubscribe headers (RFC 2369, RFC 8058). */
export const leaveHeaders = ({ isHttps }: Config, unsubscribeUrl: string) => ({
  "List-Unsubscribe": `<${unsubscribeUrl}>`,
  ...(isHttps && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058 requires https
});

export function confirmation(config: Config, to: string, view: ConfirmView): Letter {
  return {
    to,
    subject: view.t("confirmation.subject", { site: view.siteTitle }),
    headers: leaveHeaders(config, view.unsubscribeUrl),
    html: document(<ConfirmEmail {...view} />),
    text: confirmText(view),
  };
}
