import { maxHourlyLimit } from "../../db/limits/hourly-limits";
import { save } from "../../db/settings/settings";
import * as valueRules from "../../db/settings/rules";
import { fieldSentence } from "../../views/components/forms/field-errors";
import { number } from "../../views/components/list";
import { emailAddress } from "../platform/text/email-address";
import { lines } from "../platform/text/schemas";
import { actor, type Command, print, withData } from "./command";

const refusals = {
  secret: "looks like a secret; keep secrets in environment variables",
  malformed: "must be up to 64 letters, digits, dots, hyphens and underscores, starting with a letter",
  length: "takes a shorter value",
  url: "takes a full URL that contains {slug} once, such as https://blog.example/posts/{slug}",
  color: "takes a colour as #rrggbb, such as #095d6c",
  picture: "takes the path of a picture in Storage, such as /media/0191…/logo.png",
  limit: `takes a whole number from 0 to ${number(maxHourlyLimit)}; 0 turns the limit off`,
};

const refusalOf = (key: string, reason: valueRules.Problem) =>
  reason === "choice"
    ? `takes ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(valueRules.choices.get(key) ?? [])}`
    : refusals[reason];

/** Notices and replies to broadcasts go to the owner's address: if it were wrong, both would be lost. */
const schemaOf = (key: string, text: string) =>
  key === "email" && text ? emailAddress : lines({ max: valueRules.maxLengthOf(key) });

export const commands: Command[] = [
  {
    usage: "settings set <key> <value> [--public]",
    about: "Set a setting; use --public to expose a custom key in the API",
    options: { public: { type: "boolean" } },
    run: ([key = "", text = ""], { public: isPublic }) =>
      withData(async ({ db, now }) => {
        const value = schemaOf(key, text).safeParse(text);
        if (!value.success)
          throw new Error(fieldSentence("The value", value.error.issues[0]?.message ?? "is not valid"));
        const problem = valueRules.problemOf(key, value.data);
        if (problem) throw new Error(`The key ${refusalOf(key, problem)}.`);
        const change = { key, value: value.data, ...(isPublic === true && { isPublic }) };
        await save(db, [change], { actor }, now);
        print(key, value.data);
      }),
  },
];
