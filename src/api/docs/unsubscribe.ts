import { parameter } from "../../openapi/responses";
import { redirect } from "../../openapi/bare-responses";
import { linkPages, linkParameters } from "./links";

const pageDescriptions: Record<number, string> = {
  200: "Confirmation page.",
  400: "The address or token is missing or does not match. Returns the same page in every case.",
  429: "The client’s limit, shared with subscribing, is exceeded.",
  500: "The page offers to try again.",
};
const pageDetail = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
  parameters: linkParameters("The token from the link (HMAC-SHA256). Does not expire.", "^[A-Za-z0-9_-]{43}$"),
  responses: linkPages(pageDescriptions, [200, 400, 500]),
});

const letterDetail = (operationId: string, summary: string, description: string) => {
  const detail = pageDetail(operationId, summary, description);
  const b = parameter("query", "b", "The email that contains the link. Ignored if this person did not receive it.");
  return { ...detail, parameters: [...detail.parameters, b] };
};

export const docs = {
  link: pageDetail(
    "unsubscribePage",
    "Unsubscribe via the link in an email",
    "Takes effect immediately. Prefetch requests change nothing.",
  ),
  oneClick: pageDetail(
    "unsubscribe",
    "Unsubscribe with one click",
    "One-click unsubscribe for email clients (RFC 8058). The request body is ignored.",
  ),
  letter: letterDetail(
    "leavePage",
    "Unsubscribe via the link in the text of a broadcast",
    "Takes effect immediately, except within 30 minutes of that email and for prefetch requests. Then the page asks first, because mail scanners follow links on delivery.",
  ),
  letterButton: letterDetail("leave", "Unsubscribe via the button on that page", "Takes effect immediately."),
  subscription: pageDetail("subscribeAgainPage", "Show subscription status", "Changes nothing."),
  again: {
    ...pageDetail("subscribeAgain", "Subscribe again", "The button on the unsubscribe page."),
    responses: {
      ...linkPages(pageDescriptions, [400, 429, 500]),
      303: redirect("Redirects to the confirmation page."),
    },
  },
};
