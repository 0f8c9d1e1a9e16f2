import { htmlPage, parameter } from "../../openapi/responses";

/** The parameters of a link in an email. @param pattern the token's */
export const linkParameters = (token: string, pattern: string) => [
  parameter("query", "email", "The address the email was sent to.", {
    required: true,
    format: "email",
    examples: ["ada@example.com"],
  }),
  parameter("query", "token", token, { required: true, pattern }),
];

/** The documented statuses of such a page. */
export const linkPages = <Status extends number>(descriptions: Record<Status, string>, statuses: Status[]) =>
  Object.fromEntries(statuses.map((status) => [status, htmlPage(descriptions[status])]));
