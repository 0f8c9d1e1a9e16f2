/**
 * An SMTP server in a process of its own, so that it outlives a sender that is killed. It counts what each address got.
 */
import { lehmer } from "./mishaps";
import { smtpSink } from "./smtp";

type Setting = {
  seed?: number;
  /** How often of one the connection breaks after a message was taken, and before. */
  lost?: number;
  reset?: number;
  /** Regular expressions: recipients that do not exist, and that are not accepted now. */
  bounced?: string;
  deferred?: string;
};
type Report = { counts: Record<string, number>; connections: number };

/** Starts one and waits until it listens. */
export async function startSmtpServer(setting: Setting = {}) {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await child.stdout.getReader().read();
  const { smtp, control } = JSON.parse(new TextDecoder().decode(value)) as { smtp: string; control: string };
  const ask = (body?: object) => fetch(control, { method: "POST", body: JSON.stringify(body ?? {}) });
  const set = async (change: Setting) => void (await ask(change));
  await set(setting);
  return {
    env: { MAILER_API_KEY: smtp, MAIL_FROM: "Site <site@x.example>" },
    /** Replaces what goes wrong from now on. */
    set,
    report: async () => (await (await fetch(control)).json()) as Report,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function run() {
  const sink = await smtpSink({ keep: false });
  const set = ({ seed = 1, lost = 0, reset = 0, bounced, deferred }: Setting) => {
    const dice = lehmer(seed);
    const isOne = (pattern: string | undefined, address: string) =>
      Boolean(pattern && new RegExp(pattern).test(address));
    sink.behave = (command, address) => {
      if (command === "RCPT" && isOne(bounced, address)) return { code: 550, text: "5.1.1 No such user" };
      if (command === "RCPT" && isOne(deferred, address)) return { code: 450, text: "4.2.0 Try again later" };
      if (command === "DATA" && dice() < reset) return "reset";
      if (command === "ACCEPTED" && dice() < lost) return "reset";
    };
  };
  const control = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "POST") set((await request.json()) as Setting);
      const { counts, connections } = sink;
      return Response.json({ counts: Object.fromEntries(counts), connections } satisfies Report);
    },
  });
  console.log(JSON.stringify({ smtp: sink.url, control: control.url.href }));
}

if (import.meta.main) await run();
