import { Webhook } from "standardwebhooks";

type Arrival = {
  id: string;
  type: string;
  data: Record<string, unknown>;
  timestamp: number;
  body: string;
  headers: Record<string, string>;
};
type Answer = number | Response;

/** A receiver that verifies with the reference implementation, on a port of its own. `answer` says what it responds. */
export function webhookReceiver({ port = 0, now = () => new Date() }: { port?: number; now?: () => Date } = {}) {
  const attempts: Arrival[] = [];
  const accepted: Arrival[] = [];
  const forged: string[] = [];
  const receiver = {
    secrets: [] as string[],
    answer: (_: Arrival): Answer | Promise<Answer> => 200,
  };
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      if (!isVerified(receiver.secrets, body, headers, now())) {
        forged.push(body);
        return new Response(null, { status: 401 });
      }
      const { type, data } = JSON.parse(body);
      const timestamp = Number(headers["webhook-timestamp"]);
      const arrival = { id: headers["webhook-id"] ?? "", type, data, timestamp, body, headers };
      attempts.push(arrival);
      const answer = await receiver.answer(arrival);
      const response = typeof answer === "number" ? new Response(null, { status: answer }) : answer;
      if (response.ok) accepted.push(arrival);
      return response;
    },
  });
  return Object.assign(receiver, {
    ...{ attempts, accepted, forged },
    url: `http://127.0.0.1:${server.port}/hook`,
    env: { WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" },
    stop: () => server.stop(true),
  });
}

/** The reference implementation looks at the clock itself, so the time of the attempt is looked at here. */
function isVerified(secrets: string[], body: string, headers: Record<string, string>, now: Date): boolean {
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  if (Math.abs(now.getTime() - at.getTime()) > 300_000) return false;
  const given = (headers["webhook-signature"] ?? "").split(" ");
  return secrets.some((secret) => given.includes(new Webhook(secret).sign(headers["webhook-id"] ?? "", at, body)));
}
