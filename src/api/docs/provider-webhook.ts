import { failure, limited, parameter, success } from "../../openapi/responses";

const header = (name: string, description: string) => parameter("header", name, description);

export const docs = {
  summary: "Receive reports of the email provider",
  description:
    "For Resend’s webhooks, signed as Standard Webhooks describes; the headers may also be called `webhook-…`. A repeated report changes nothing; types of no interest are accepted.",
  parameters: [
    header("svix-id", "The ID of the report, the same in every repetition."),
    header("svix-timestamp", "Seconds since 1970, within five minutes of now."),
    header("svix-signature", "One or more signatures, `v1,` and base64, separated by spaces."),
  ],
  responses: {
    200: success("Received", "The report is stored, or was stored before."),
    401: failure("The signature is missing, wrong, or too old."),
    404: failure("MAILER_WEBHOOK_SECRET is not set."),
    ...limited,
  },
};
