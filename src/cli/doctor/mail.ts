import { domainOf } from "../../mail/headers";
import { configuredProvider } from "../../mail/open";
import { senderRecords } from "../../mail/sender-records";
import { readMailboxUrl, readSmtpUrl } from "../../platform/mail-urls";
import { type Finding, findings, type Patient, reasonOf, resendUrl } from "./finding";

/** The provider accepts our key. */
export async function checkMail({ config, tools }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("mail");
  const { RESEND_BASE_URL: base = resendUrl, MAILER_API_KEY: key = "" } = config;
  if (!configuredProvider(config)) return [warn("Emails are logged and not sent. Set MAILER_API_KEY and MAIL_FROM.")];
  if (configuredProvider(config) === "smtp") return checkSmtp(key, tools);
  try {
    const { status, text } = await tools.ask(`${base}/domains`, { authorization: `Bearer ${key}` });
    if (status === 200 || text.includes("restricted_api_key")) return [ok("Resend accepts the key.")];
    return [wrong(`Resend does not accept the key (${status}). Make a new one, and set MAILER_API_KEY.`)];
  } catch (error) {
    return [wrong(`${new URL(base).host} cannot be reached (${reasonOf(error)}). Allow connections to its port 443.`)];
  }
}

async function checkSmtp(key: string, { dns }: Patient["tools"]): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("mail");
  const server = readSmtpUrl(key);
  if (typeof server === "string") return [wrong(`MAILER_API_KEY ${server}.`)];
  const { openSession } = await import("../../mail/smtp/session");
  try {
    const session = await openSession(server, { signal: AbortSignal.timeout(15_000) });
    session.quit();
  } catch (error) {
    return [
      wrong(
        `${server.host} does not accept the connection or the password (${reasonOf(error)}). Check MAILER_API_KEY.`,
      ),
    ];
  }
  const [address] = await dns.addresses(server.host);
  const isNamed = !address || (await dns.names(address)).length > 0;
  return [
    isNamed
      ? ok(`${server.host} accepts the connection.`)
      : warn(
          `${address}, the address of ${server.host}, has no PTR record: many servers reject its emails. Ask its network’s operator for one.`,
        ),
  ];
}

/** The sender’s domain says that our provider may send for it, and accepts replies. */
export async function checkSender({ config, tools }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("sender");
  if (!configuredProvider(config)) return [ok("Nothing is sent.")];
  const domain = domainOf(config.MAIL_FROM);
  const [records, isReached] = await Promise.all([senderRecords(config, tools.dns), acceptsMail(domain, tools)]);
  if (isReached === undefined || records.some(({ exists }) => exists === undefined))
    return [warn(`DNS does not answer, so the records of ${domain} are not known. Check /etc/resolv.conf.`)];
  const isResend = configuredProvider(config) === "resend";
  const more = { SPF: isResend ? "" : ", with your server’s addresses", DKIM: "", DMARC: "", MX: "" };
  const problems = records
    .filter(({ exists }) => !exists)
    .map(({ kind, name, value }) =>
      wrong(
        value === undefined
          ? `${kind === "DKIM" ? `${domain} has no DKIM key` : `${name} has no MX record`} of Resend. Add ${kind === "DKIM" ? "TXT" : kind} ${name} as Resend shows it under Domains.`
          : `${kind === "SPF" ? name : domain} has no ${kind} record. Add TXT ${name} “${value}”${more[kind]}.`,
      ),
    );
  if (!isReached)
    problems.push(
      wrong(`${domain} has no MX record: replies are lost. Add MX ${domain} with the server that has its mailboxes.`),
    );
  return problems.length ? problems : [ok(`${domain} has SPF${isResend ? ", DKIM" : ""}, DMARC and MX records.`)];
}

/**
 * Without a server that accepts its emails, a domain gets no replies, and some servers reject what it sends. Undefined
 * if DNS does not answer.
 */
async function acceptsMail(domain: string, { dns }: Patient["tools"]): Promise<boolean | undefined> {
  const servers = await dns.mailServers(domain);
  return servers && (servers.length > 0 || (await dns.addresses(domain)).length > 0); // RFC 5321, 5.1
}

const waitLimitMs = 15_000;

/** The mailbox with delivery reports can be opened. Nothing in it is changed. */
export async function checkMailbox({ config }: Patient): Promise<Finding[]> {
  const { ok, warn, wrong } = findings("mailbox");
  const isSmtp = configuredProvider(config) === "smtp";
  const server = config.BOUNCE_MAILBOX === undefined ? undefined : readMailboxUrl(config.BOUNCE_MAILBOX);
  if (typeof server === "string") return [wrong(`BOUNCE_MAILBOX ${server}.`)];
  if (!server && !isSmtp) return [ok("None is needed.")];
  if (!server) return [warn("Later bounces are not known. Set BOUNCE_MAILBOX to the mailbox in which reports arrive.")];
  const { openMailbox } = await import("../../mailbox/imap");
  try {
    const signal = AbortSignal.timeout(waitLimitMs);
    const mailbox = await openMailbox(server, { signal });
    mailbox.close();
  } catch (error) {
    return [wrong(`${server.host} does not open ${server.folder} (${reasonOf(error)}). Check BOUNCE_MAILBOX.`)];
  }
  return [ok(`${server.host} opens ${server.folder}.`)];
}
