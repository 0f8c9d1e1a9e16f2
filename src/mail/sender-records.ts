import type { MxRecord } from "node:dns";
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
  exists: boolean;
};

type Sender = { MAIL_FROM: string; MAILER_API_KEY?: string | undefined };
/** Each returns what a name has, none if there are none: TXT records, and the servers that accept its emails (MX). */
type LookUp = { txt: (name: string) => Promise<string[]>; mailServers: (name: string) => Promise<string[]> };

/** What the domain of MAIL_FROM should have with this provider; nothing while nothing is sent. */
export async function senderRecords(config: Sender, lookUp: LookUp): Promise<SenderRecord[]> {
  if (!configuredProvider(config)) return [];
  const domain = domainOf(config.MAIL_FROM);
  const isResend = configuredProvider(config) === "resend";
  const has = async (name: string, start: string) =>
    (await lookUp.txt(name)).some((text) => text.toLowerCase().replaceAll(" ", "").startsWith(start));
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
    ...(isResend ? [{ kind: "MX" as const, name: spf, value: undefined, exists: servers.length > 0 }] : []),
  ];
}

const resolver = () => new Resolver({ timeout: 2_000, tries: 1 });
const none = () => [];

export const lookUp: LookUp = {
  txt: async (name) => (await resolver().resolveTxt(name).catch(none)).map((parts) => parts.join("")),
  mailServers: async (name) => serversOf(await resolver().resolveMx(name).catch(none)),
};

/** The names in MX records. A domain that accepts no emails says so with an empty one (RFC 7505). */
export const serversOf = (records: MxRecord[]): string[] => records.map(({ exchange }) => exchange).filter(Boolean);

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
