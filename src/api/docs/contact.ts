import { bodyExample, failure, limited, success } from "../../openapi/responses";
import { idempotencyKeyParameter } from "../idempotency-key";

export const docs = {
  operationId: "sendContactMessage",
  summary: "Send a contact message",
  description:
    "An identical message from the same address within 10 minutes, or with the same Idempotency-Key (1 to 255 visible ASCII characters) from the same address and network within 24 hours, is stored once and returns the first ID. The notification email is sent in the background and does not affect the response. Owners can cap how many messages the site stores per hour.",
  parameters: [idempotencyKeyParameter("Valid for 24 hours, for the same email address and network")],
  requestBody: bodyExample({
    name: "Ada Ferris",
    email: "ada@example.com",
    message: "Hello, I liked the essay.",
  }),
  responses: {
    201: success("Receipt", "The message is stored."),
    409: failure("This Idempotency-Key has already been used for a different message."),
    ...limited,
  },
};
