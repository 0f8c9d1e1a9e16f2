import { resolve4, resolve6, reverse } from "node:dns/promises";
import { statfs } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { certificateValidity } from "../platform/certificate";
import { diskSpace } from "../platform/data-dir";
import { type Command, print } from "./command";
import { lookUp } from "../mail/sender-records";
import { diagnose } from "./doctor/doctor";
import { milliseconds } from "./doctor/machine";
import type { Tools } from "./doctor/finding";

const waitLimitMs = 10_000;
const none = () => [];

/** What a program of systemd prints as NAME=value lines; nothing if it is not there, or systemd does not run. */
async function properties(program: string, args: string[]): Promise<Record<string, string | undefined>> {
  const path = Bun.which(program);
  if (!path) return {};
  const child = Bun.spawn([path, ...args], { stdio: ["ignore", "pipe", "ignore"], timeout: waitLimitMs });
  const lines = (await child.stdout.text()).matchAll(/^(\w+)=(.*)$/gm);
  return (await child.exited) === 0 ? Object.fromEntries([...lines].map(([, name, value]) => [name, value])) : {};
}

const tools: Tools = {
  now: () => new Date(),
  async ask(url, headers = {}) {
    const response = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(waitLimitMs) });
    return { status: response.status, headers: response.headers, text: (await response.text()).slice(0, 10_000) };
  },
  dns: {
    txt: lookUp.txt,
    addresses: async (name) => [...(await resolve4(name).catch(none)), ...(await resolve6(name).catch(none))],
    names: (address) => reverse(address).catch(none),
    mailServers: lookUp.mailServers,
  },
  diskOf: async (folder) => ({ ...(await diskSpace(folder)), type: (await statfs(folder)).type }),
  async isClockSynchronized() {
    const said = await properties("timedatectl", ["show", "--property=NTPSynchronized"]);
    return said.NTPSynchronized === undefined ? undefined : said.NTPSynchronized === "yes";
  },
  async stopTimeOf(unit) {
    const said = await properties("systemctl", ["show", "--property=LoadState,TimeoutStopUSec", "--", unit]);
    return said.LoadState === "loaded" ? milliseconds(said.TimeoutStopUSec ?? "") : undefined;
  },
  ownAddresses: Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
  certificateValidity,
};

export const commands: Command[] = [
  {
    usage: "doctor [--json]",
    about:
      "Examine this installation, before its first start or while it runs, and say what to do (verdict, check, text); exits with 1 if something is wrong",
    options: { json: { type: "boolean" } },
    async run(_, { json }) {
      const all = await diagnose(undefined, tools);
      if (json) process.stdout.write(`${JSON.stringify(all)}\n`);
      else for (const { verdict, check, text } of all) print(verdict, check, text);
      return all.some(({ verdict }) => verdict === "wrong") ? 1 : 0;
    },
  },
];
