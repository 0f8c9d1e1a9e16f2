/**
 * A mail provider in a process of its own, so that it outlives a sender that is killed. Bodies are not kept: it counts
 * what each address got.
 */
import { drawMishaps, type Mishaps } from "./mishaps";
import { envOf, serveResend } from "../mail";
import { FakeResend, type Rules } from "./resend";

type Setting = Partial<Omit<Rules, "refused">> & {
  refused?: string; // a regular expression
  mishaps?: Partial<Mishaps>;
  /** Milliseconds by which its clock is ahead. */
  ahead?: number;
};
type Report = { answers: Record<string, number>; counts: Record<string, number> };

/** Starts one and waits until it listens. */
export async function startProvider(setting: Setting = {}, hangMs = 2_000) {
  const child = Bun.spawn([process.execPath, import.meta.path, String(hangMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reader = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  const ask = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}/fake/${path}`, { method: "POST", body: JSON.stringify(body ?? {}) });
  const set = async (change: Setting) => void (await ask("set", change));
  await set(setting);
  return {
    env: envOf(port),
    /** Changes what it does from now on; what is not named stays. */
    set,
    /** How requests ended, and how many emails each address got. */
    report: async () => (await (await ask("report")).json()) as Report,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function run(hangMs: number) {
  let ahead = 0;
  let mishap = drawMishaps({});
  const resend = new FakeResend(() => Date.now() + ahead);
  const set = ({ mishaps, ahead: now = ahead, refused, ...rules }: Setting) => {
    ahead = now;
    if (mishaps) mishap = drawMishaps(mishaps);
    resend.rules = { ...resend.rules, ...rules, ...(refused && { refused: new RegExp(refused) }) };
  };
  const { port } = await serveResend(
    resend,
    0,
    hangMs,
    (submission) => mishap(() => void resend.process(submission)),
    (path, body) => {
      if (path === "/fake/report")
        return Response.json({
          answers: Object.fromEntries(resend.answers),
          counts: Object.fromEntries(resend.counts),
        } satisfies Report);
      if (path === "/fake/set") return (set(JSON.parse(body)), new Response());
    },
  );
  console.log(port);
}

if (import.meta.main) await run(Number(Bun.argv[2]));
