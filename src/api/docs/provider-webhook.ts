import { failure, limited, parameter, success } from "../../openapi/responses";

const header = (name: string, description: string) => parameter("header", name, description);

export const docs = {
  operationId: "receiveProviderReport",
  summary: "Receive reports from the email provider",
  description:
    "For Resend’s webhooks, which are signed as in Standard Webhooks; the headers may also be named `webhook-…`. A repeated report changes nothing. Event types that are not used are accepted and ignored.",
  parameters: [
    header("svix-id", "The ID of the report, the same in every repetition."),
    header("svix-timestamp", "Seconds since 1970, within five minutes of now."),
    header("svix-signature", "One or more signatures (`v1,` and Base64), separated by spaces."),
  ],
  responses: {
    200: success("Received", "The report is stored now, or was stored before."),
    401: failure("The signature is missing, wrong, or too old."),
    404: failure("MAILER_WEBHOOK_SECRET is not set."),
    ...limited,
  },
};
