import { plain, statusOf } from "./status-words";

const fields = ["email", "name", "first", "last", "source", "status", "left", "joined"] as const;
/** The field that a column of an import holds; "" is ignored. */
export type ImportField = (typeof fields)[number] | "";

/** Fields that several columns may hold: one that says no is enough. */
const severalFields: ImportField[] = ["", "status", "left"];

/**
 * Column names, without spaces and punctuation, in order of preference: our own, and those of Mailchimp, Substack,
 * Ghost, listmonk and Buttondown.
 */
const names: Record<(typeof fields)[number], string[]> = {
  email: ["email", "emailaddress", "subscriberemail", "mail"],
  name: ["name", "fullname", "displayname", "subscribername"],
  first: ["firstname", "fname", "givenname", "forename"],
  last: ["lastname", "lname", "surname", "familyname"],
  source: ["source", "signupsource", "subscribersource"],
  status: [
    ...["state", "status", "subscriberstatus", "subscriptionstatus", "memberstatus", "emailstatus", "subscribertype"],
    ...["subscribed", "issubscribed", "subscribedtoemails", "optedin", "optin", "confirmed"],
  ],
  left: [
    ...["unsubscribed", "isunsubscribed", "unsubscribedat", "unsubscribedon", "unsubscribedate", "unsubscriptiondate"],
    ...["unsubtime", "unsubscribetime", "optedout", "optout", "optoutdate", "cleantime", "emaildisabled", "disabled"],
    ...["bounced", "bouncedat", "bouncedate", "undeliverabilitydate", "complained", "complainedat", "blocked"],
    ...["blocklisted", "blacklisted", "suppressed", "suppressedat", "deletedat"],
  ],
  joined: [
    ...["joined", "joinedat", "joindate", "datejoined", "subscribedat", "subscribedon", "subscribedate"],
    ...["subscribeddate", "subscriptiondate", "datesubscribed", "optintime", "optindate", "signupdate", "signedupat"],
    ...["confirmtime", "confirmedat", "dateadded", "addedat", "addedon", "createdat", "creationdate", "datecreated"],
    ...["createdon", "created", "startdate"],
  ],
};

/** Guesses the fields of the columns from their names and, if these say nothing, from the first rows (P186). */
export function guessColumns(header: string[], rows: string[][]): ImportField[] {
  const called = header.map(plain);
  const guessed = header.map((): ImportField => "");
  for (const field of fields)
    for (const name of names[field])
      if (severalFields.includes(field) || !guessed.includes(field))
        for (const [at, own] of called.entries()) if (own === name && !taken(guessed, field, at)) guessed[at] = field;
  const values = (at: number) => rows.map((row) => row[at]?.trim() ?? "").filter(Boolean);
  const isAddresses = (at: number) => share(values(at), (text) => text.length <= 200 && /^\S+@\S+$/.test(text)) >= 0.5;
  const at = called.findIndex((_, column) => !guessed[column] && isAddresses(column));
  if (!guessed.includes("email") && at >= 0) guessed[at] = "email";
  const type = called.indexOf("type"); // Buttondown's; elsewhere it means other things
  if (type >= 0 && share(values(type), (text) => statusOf(text) !== undefined) === 1) guessed[type] = "status";
  return guessed;
}

const share = (values: string[], test: (text: string) => boolean) =>
  values.length ? values.filter(test).length / values.length : 0;

const taken = (guessed: ImportField[], field: ImportField, at: number) =>
  Boolean(guessed[at]) || (!severalFields.includes(field) && guessed.includes(field));

/** Returns what is wrong with a choice of columns, as a sentence. */
export function problemOfColumns(columns: ImportField[]): string | undefined {
  if (!columns.includes("email")) return "Choose the column that has the email addresses.";
  const isTwice = columns.some((field, at) => !severalFields.includes(field) && columns.indexOf(field) !== at);
  return isTwice ? "Only Status and Unsubscribed can be chosen for several columns." : undefined;
}

export const isImportField = (text: string): text is ImportField =>
  text === "" || fields.some((field) => field === text);
