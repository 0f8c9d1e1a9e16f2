import { roles } from "../../db/access/managers";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { createManagerLink, createResetLink, type SignInLink } from "../security/sign-in-links";
import { roleTexts } from "../../views/components/roles";
import { type Command, complain, print, withData } from "./command";
import { emailAddress } from "../platform/text/email-address";

type Create = (site: { db: Db; config: Config }, email: string, now: Date) => Promise<SignInLink | undefined>;

/** Prints only the link on stdout. */
const printLink = (text: string, create: Create, otherwise: string) =>
  withData(async ({ config, db, now }) => {
    const email = emailAddress.safeParse(text);
    if (!email.success) throw new Error(`The email address ${email.error.issues[0]?.message}.`);
    const link = await create({ config, db }, email.data, now);
    if (!link) throw new Error(otherwise);
    print(link.url);
    complain(`Single use, valid until ${link.expiresAt.toISOString()}.`);
  });

export const commands: Command[] = [
  {
    usage: "manager create <email>",
    about: `Invite a manager and print a one-time link; the first manager becomes the owner. Roles: ${roles.join(", ")}`,
    options: { role: { type: "string" } },
    run: ([email = ""], { role = "manager" }) => {
      const wanted = roles.find((one) => one === role);
      if (!wanted) throw new Error(`The role must be one of ${roles.join(", ")}.`);
      const create: Create = (site, address, now) => createManagerLink(site, address, now, wanted);
      return printLink(email, create, `${email} is already a manager. Use manager reset.`);
    },
  },
  {
    usage: "manager roles",
    about: "List the roles and what each may do (role, what it may do)",
    run: async () => {
      for (const role of roles) print(role, `${roleTexts[role].name}s ${roleTexts[role].may}.`);
    },
  },
  {
    usage: "manager reset <email>",
    about: "Print a one-time link for setting a new password",
    run: ([email = ""]) => printLink(email, createResetLink, `No manager with the email address ${email}.`),
  },
];
