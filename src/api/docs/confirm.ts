import { redirect } from "../../openapi/bare-responses";
import { linkPages, linkParameters } from "./links";

const descriptions: Record<number, string> = {
  200: "The page, with the current state of the subscription.",
  400: "The address or token is missing or does not match. Returns the same page in every case.",
  410: "The link has expired. The page offers a new one.",
  429: "The client’s limit, shared with subscribing, is exceeded.",
  500: "Nothing was changed.",
};
const pages = (...statuses: number[]) => linkPages(descriptions, statuses);

const detail = (operationId: string, summary: string, description: string, responses: object) => ({
  operationId,
  tags: ["Newsletter"],
  summary,
  description,
  parameters: linkParameters("The token from the link. Works for seven days.", "^[A-Za-z0-9_-]{51}$"),
  responses: responses as ReturnType<typeof pages>,
});

export const docs = {
  link: detail(
    "confirmSubscriptionPage",
    "Show a confirmation link",
    "Changes nothing. The page has one button.",
    pages(200, 400, 410, 500),
  ),
  button: detail("confirmSubscription", "Confirm a subscription", "The button on that page (double opt-in).", {
    ...pages(400, 410, 429, 500),
    303: redirect("Redirects to the confirmation page."),
  }),
  again: detail(
    "resendConfirmation",
    "Send a new confirmation link",
    "At most one in ten minutes, three in 24 hours and five in 30 days per address; further ones are not sent, but the page is the same.",
    pages(200, 400, 429, 500),
  ),
};
