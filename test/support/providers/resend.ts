import { createHash } from "node:crypto";

/** An email as it arrived at the provider, with the headers of its request. */
export type Arrival = {
  key: string;
  authorization: string | undefined;
  from: string;
  to: string[];
  subject: string;
  reply_to?: string;
  headers: Record<string, string>;
  tags?: { name: string; value: string }[];
  html: string;
  text: string;
};
/** One request: `POST /emails`, or a batch. */
export type Submission = { key: string; path: string; hash: string; isStrict: boolean; emails: Arrival[] };
export type Rules = {
  /** Requests a second. More are refused. */
  perSecond: number;
  /** Emails a day of UTC, and a month. */
  perDay: number;
  perMonth: number;
  /** Addresses that are no addresses to this provider. */
  refused: RegExp | undefined;
};

const day = 24 * 3_600_000;
export const generous: Rules = { perSecond: 1_000_000, perDay: Infinity, perMonth: Infinity, refused: undefined };

/**
 * What Resend does with emails, without the network: it delivers what one Idempotency-Key brings once in 24 hours,
 * refuses other content under the same key, takes all of a batch or none, and counts quotas. By its clock, not ours.
 */
export class FakeResend {
  /** How many emails each address got. */
  readonly counts = new Map<string, number>();
  /** By what this ended: how many requests. */
  readonly answers = new Map<string, number>();
  rules: Rules;
  private readonly keys = new Map<string, { hash: string; body: object; at: number }>();
  private readonly inWork = new Set<string>();
  private window = { second: 0, requests: 0 };
  private readonly sent = new Map<number | string, number>(); // by day and by month

  constructor(
    private readonly now: () => number,
    rules: Partial<Rules> = {},
    private readonly onDelivered: (emails: Arrival[]) => void = () => undefined,
  ) {
    this.rules = { ...generous, ...rules };
  }

  /** Answers a request; `meanwhile` says what goes wrong before it is processed, if anything. */
  async submit<T>(submission: Submission, meanwhile: () => T | Promise<T>): Promise<Response | NonNullable<T>> {
    const { key } = submission;
    if (this.inWork.has(key)) return this.answer(409, "concurrent_idempotent_requests");
    this.inWork.add(key);
    try {
      const trouble = await meanwhile();
      return trouble ?? this.process(submission);
    } finally {
      this.inWork.delete(key);
    }
  }

  /** Takes a submission, whatever becomes of the answer. */
  process(submission: Submission): Response {
    const { key, hash, emails } = submission;
    const at = this.now();
    const known = this.keys.get(key);
    if (known && at - known.at < day)
      return known.hash === hash ? this.accepted(known.body) : this.answer(409, "invalid_idempotent_request");
    const refused = this.tooFast() ?? this.invalid(submission) ?? this.overQuota(emails.length);
    if (refused) return refused;
    for (const { to } of emails)
      for (const address of to) this.counts.set(address, (this.counts.get(address) ?? 0) + 1);
    for (const period of this.periods()) this.sent.set(period, (this.sent.get(period) ?? 0) + emails.length);
    const ids = emails.map((_, i) => ({ id: `re_${key}${i ? `.${i}` : ""}` }));
    const body = submission.path === "/emails" ? (ids[0] ?? {}) : { data: ids };
    this.keys.set(key, { hash, body, at });
    this.onDelivered(emails);
    return this.accepted(body);
  }

  private periods() {
    const now = new Date(this.now());
    return [Math.floor(now.getTime() / day), `${now.getUTCFullYear()}-${now.getUTCMonth()}`] as const;
  }

  private tooFast(): Response | undefined {
    const second = Math.floor(this.now() / 1000);
    if (this.window.second !== second) this.window = { second, requests: 0 };
    if (++this.window.requests > this.rules.perSecond)
      return this.answer(429, "rate_limit_exceeded", { "retry-after": "1" });
  }

  private invalid({ path, isStrict, emails }: Submission): Response | undefined {
    const isOne = path === "/emails";
    if (!emails.length || emails.length > 100) return this.answer(422, "validation_error");
    if (!isOne && !isStrict) return this.answer(422, "validation_error"); // we never mean that
    const isValid = ({ from, to, subject, html, text }: Arrival) =>
      from && subject && (html || text) && to.length === 1 && to.every((address) => this.isAddress(address));
    if (!emails.every(isValid)) return this.answer(422, "validation_error");
  }

  private isAddress = (address: string) =>
    /^[^\s@<>,]+@[^\s@<>,]+$/.test(address) && !this.rules.refused?.test(address);

  private overQuota(emails: number): Response | undefined {
    const [today, month] = this.periods().map((period) => (this.sent.get(period) ?? 0) + emails);
    if ((month ?? 0) > this.rules.perMonth) return this.answer(429, "monthly_quota_exceeded");
    if ((today ?? 0) > this.rules.perDay) return this.answer(429, "daily_quota_exceeded");
  }

  private accepted(body: object): Response {
    this.count("accepted");
    return Response.json(body, { headers: this.rateHeaders() });
  }

  private answer(status: number, name: string, headers: Record<string, string> = {}): Response {
    this.count(name);
    return refusal(status, name, { ...this.rateHeaders(), ...headers });
  }

  rateHeaders(): Record<string, string> {
    const { perSecond } = this.rules;
    const left = Math.max(0, perSecond - this.window.requests);
    return { "ratelimit-limit": `${perSecond}`, "ratelimit-remaining": `${left}`, "ratelimit-reset": "1" };
  }

  count(answer: string): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }
}

/** Reads a request as the provider does. */
export function submissionOf(path: string, headers: Record<string, string | undefined>, body: string): Submission {
  const key = headers["idempotency-key"] ?? crypto.randomUUID();
  const fields = JSON.parse(body) as object | object[];
  const emails = [fields].flat().map((email) => ({ ...email, key, authorization: headers.authorization }) as Arrival);
  const hash = createHash("sha256").update(`${path}\n${body}`).digest("base64");
  return { key, path, hash, isStrict: headers["x-batch-validation"] === "strict", emails };
}

/** How the provider refuses, as Resend words it. */
export const refusal = (statusCode: number, name: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode, name, message: `Refused: ${name}` }, { status: statusCode, headers });
