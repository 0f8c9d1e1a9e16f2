import { Resolver } from "node:dns/promises";
import { ipVersion, isPublicAddress } from "../platform/networks";
import { domainOf } from "./headers";
import { configuredProvider } from "./open";

/** A DNS record that lets others believe in our sender, and whether it exists. */
type SenderRecord = {
  kind: "SPF" | "DKIM" | "DMARC" | "MX";
  /** Its name, and the value to add; undefined if only the provider knows it. */
  name: string;
  value: string | undefined;
  /** Undefined if DNS does not answer. */
  exists: boolean | undefined;
};

type Sender = { MAIL_FROM: string; MAILER_API_KEY?: string | undefined };
/** What a name has in DNS: none if there are none, undefined if DNS does not answer. */
export type Answers = Promise<string[] | undefined>;
/** TXT records, and the servers that accept a domain's emails (MX). */
type LookUp = { txt: (name: string) => Answers; mailServers: (name: string) => Answers };

/** What the domain of MAIL_FROM should have with this provider; nothing while nothing is sent. */
export async function senderRecords(config: Sender, lookUp: LookUp): Promise<SenderRecord[]> {
  if (!configuredProvider(config)) return [];
  const domain = domainOf(config.MAIL_FROM);
  const isResend = configuredProvider(config) === "resend";
  const has = async (name: string, start: string) =>
    (await lookUp.txt(name))?.some((text) => text.toLowerCase().replaceAll(" ", "").startsWith(start));
  const spf = isResend ? `send.${domain}` : domain; // Resend's envelopes have an address of their own
  const [dkim, dmarc] = [`resend._domainkey.${domain}`, `_dmarc.${domain}`];
  const [hasSpf, hasDkim, hasDmarc, servers] = await Promise.all([
    has(spf, "v=spf1"),
    isResend && has(dkim, "p="),
    has(dmarc, "v=dmarc1"),
    isResend ? lookUp.mailServers(spf) : [],
  ]);
  return [
    { kind: "SPF", name: spf, value: `v=spf1 ${isResend ? "include:amazonses.com" : "a mx"} ~all`, exists: hasSpf },
    ...(isResend ? [{ kind: "DKIM" as const, name: dkim, value: undefined, exists: hasDkim }] : []),
    { kind: "DMARC", name: dmarc, value: "v=DMARC1; p=none", exists: hasDmarc },
    // Where bounces arrive, so that Resend can report them
    ...(isResend ? [{ kind: "MX" as const, name: spf, value: undefined, exists: servers && servers.length > 0 }] : []),
  ];
}

const resolver = () => new Resolver({ timeout: 2_000, tries: 1 });
const none = () => [];

/** Only the answer that there is no such record means that there is none: DNS may be down, or refuse. */
const orNone = (error: unknown): [] | undefined =>
  error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA")
    ? []
    : undefined;

/** @param ask makes the resolver of a lookup; tests name a server of their own */
export const lookUpWith = (ask: () => Resolver): LookUp => ({
  txt: async (name) => (await ask().resolveTxt(name).catch(orNone))?.map((parts) => parts.join("")),
  // A domain that accepts no emails says so with an empty name (RFC 7505)
  mailServers: async (name) =>
    (await ask().resolveMx(name).catch(orNone))?.map(({ exchange }) => exchange).filter(Boolean),
});
export const lookUp = lookUpWith(resolver);

/** Whether a host is on the public Internet: all its addresses are, and there is one. */
export async function isPublicHost(host: string): Promise<boolean> {
  const plain = host.replace(/^\[|\]$/g, "");
  if (ipVersion(plain)) return isPublicAddress(plain);
  const [four, six] = await Promise.all([
    resolver().resolve4(plain).catch(none),
    resolver().resolve6(plain).catch(none),
  ]);
  const addresses = [...four, ...six];
  return addresses.length > 0 && addresses.every(isPublicAddress);
}
