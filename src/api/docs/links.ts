import { emailPattern } from "../../http/email-address";
import { htmlPage } from "../../openapi/bare-responses";
import { parameter } from "../../openapi/responses";

/** The parameters of a link in an email. @param pattern of the token */
export const linkParameters = (token: string, pattern: string) => [
  parameter("query", "email", "The address the email was sent to.", {
    required: true,
    pattern: emailPattern,
    examples: ["ada@example.com"],
  }),
  parameter("query", "token", token, { required: true, pattern }),
];

/** The statuses of such a page, of those that are described. */
export const linkPages = (descriptions: Record<number, string>, statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, htmlPage(descriptions[status] ?? "")]));
