/** What a report says of one address. */
export type Failure = {
  /** Whom the report names, if it does: the address the email was sent to, or one it was forwarded to. */
  addresses: string[];
  /** Whether the email was first sent to another address than the one that failed. */
  isForwarded?: boolean;
  /** As in RFC 3463: "5.1.1". Empty if it is not said. */
  status: string;
  detail: string;
};

/** What a report is about, whosever email it was. */
export type MailedReport = {
  kind: "failed" | "complained";
  failures: Failure[];
  /** When the email was sent, as far as the report says. */
  sentAt?: Date | undefined;
};

/** The code in a server's reply, as "5.1.1" in "550 5.1.1 No such user". Empty if it has none. */
export const statusIn = (text: string): string =>
  /(?<![\d.])([45]\.[0-7]\.\d{1,3})(?!\.?\d)/.exec(text)?.[1] ?? replyIn(text);

/** A reply without such a code says less: 550 may be about anything. */
const replyIn = (text: string): string => {
  const [, first] = /(?<![\d.])([45])\d\d(?=[ -])/.exec(text) ?? [];
  return first ? `${first}.0.0` : "";
};

/** For a page and a log: no control characters, not long. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();
