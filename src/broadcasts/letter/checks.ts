import { bytesOf, type WrittenLetter } from "./letter";
import type { LetterProblem } from "./problems";

/** What the checks need to know beyond the text: about the broadcast, and the service that sends it. */
export type LetterFacts = {
  /** Undefined: emails are simulated. */
  provider: "resend" | "smtp" | undefined;
  siteUrl: string;
  /** Undefined: an email of a sequence, which is sent to people one by one. */
  recipients: number | undefined;
  hasPostalAddress: boolean;
  hasWebhookSecret: boolean;
  /** Since the last change of the text. */
  wasTested: boolean;
  /** Someone saved another version while this one was open. */
  isOutdated: boolean;
  /** The state of the post, if one is sent; undefined if the broadcast has only its own text. */
  post?: { isPublished: boolean } | undefined;
  archive: "listed" | "unlisted" | "none";
  /** Those of `letter.files` that are no longer in Storage. */
  missingFiles: string[];
};

/** What a problem is about, and where it is in the text. */
type Place = Pick<LetterProblem, "part" | "line" | "at" | "what">;
/** `block`: it cannot be sent like this. `warn`: the manager must confirm it. `line` is that of the first place. */
export type Check = {
  kind: "block" | "warn";
  code: string;
  sentence: string;
  /** What someone does who sends it in spite of the warning: "without a test". */
  inSpite?: string;
  line?: number;
  places?: Place[];
};

const maxHtmlBytes = 500_000;
/** Gmail shows the first 102 KB of an email, and a link to the rest. */
const gmailBytes = 100_000;

/** Returns everything that speaks against sending this letter now, blocking checks first. */
export const checksOf = (letter: WrittenLetter, facts: LetterFacts): Check[] => [
  ...checks("block", blockers(letter, facts)),
  ...facts.missingFiles.map((file) => ({
    kind: "block" as const,
    code: "missing-file",
    sentence: `The file ${file} is no longer in Storage.`,
  })),
  ...checks("warn", warnings(letter, facts)).map((check) => ({ ...check, inSpite: inSpite[check.code] })),
  ...problemChecks(letter.problems),
];

/** Returns the checks that passed. */
export const passedOf = (letter: WrittenLetter, facts: LetterFacts): string[] =>
  [...blockers(letter, facts), ...warnings(letter, facts), ...textRules(letter, facts)]
    .filter(([isBroken]) => !isBroken)
    .flatMap(([, , , passed]) => passed || []);

/** `passed` is shown if the rule applies and is met. */
type Rule<Code = string> = [isBroken: boolean, code: Code, sentence: string, passed?: string | false | undefined];
const checks = <Code extends string>(kind: Check["kind"], rules: Rule<Code>[]) =>
  rules.filter(([isBroken]) => isBroken).map(([, code, sentence]) => ({ kind, code, sentence }));

/** After "Send" or "Simulate": each box that is ticked before sending says what is accepted by it. */
const inSpite = {
  simulated: "it",
  "post-draft": "before the post is published",
  size: "at this size",
  "postal-address": "without a postal address",
  "webhook-secret": "without reports of bounces",
  test: "without a test",
  unseen: "without what readers will not see",
  mdx: "with errors in the text",
  "no-alt": "without alternative text",
  "outside-image": "with pictures on other servers",
  "refused-image": "without pictures that are left out",
  "refused-link": "with invalid URLs",
  "local-link": "with local URLs",
  "field-in-address": "with merge fields in links",
  "no-fallback": "without a fallback for names",
  "no-value": "without a fallback for fields",
  "unknown-field": "with unknown merge fields",
  "unknown-topic": "without links to unknown topics",
  "unknown-in-line": "with unknown merge fields in the subject or preview line",
  "no-web-page": "without a web page",
} satisfies Record<LetterProblem["code"], string> & Record<string, string>;
type Warning = keyof typeof inSpite;

function blockers(letter: WrittenLetter, facts: LetterFacts): Rule[] {
  const isReachable = !facts.provider || /^https:|^http:\/\/(localhost|127\.|\[::1\])/.test(facts.siteUrl);
  const isNowhere = facts.post?.isPublished === false && facts.archive === "none";
  const isLong = letter.isCut || bytesOf(letter.html) > maxHtmlBytes;
  return [
    [facts.isOutdated, "outdated", "Someone else has saved another version. Load it first."],
    [!letter.subject.length, "subject", "The subject is missing.", "There is a subject."],
    [!letter.page.length, "empty", "The text is empty.", "There is a text."],
    [isLong, "too-long", "The email is larger than 500 KB. Shorten the text."],
    [
      facts.recipients === 0,
      "recipients",
      "There are no recipients.",
      facts.recipients !== undefined && "There are recipients.",
    ],
    [
      !isReachable,
      "base-url",
      "BASE_URL must start with https:// so that readers can unsubscribe.",
      "Readers can unsubscribe.",
    ],
    [
      isNowhere,
      "post-unpublished",
      "The post is not published and the broadcast is not in the archive.",
      facts.post && "The post can be read on the web.",
    ],
  ];
}

function warnings(letter: WrittenLetter, facts: LetterFacts): Rule<Warning>[] {
  const size = bytesOf(letter.html);
  const kilobytes = Math.ceil(size / 1_000);
  const isMadePublic = facts.post?.isPublished === false && facts.archive !== "none";
  const isResend = facts.provider === "resend";
  return [
    [
      !facts.provider,
      "simulated",
      "No email provider is configured. The broadcast will be simulated.",
      "An email provider is configured.",
    ],
    [
      isMadePublic,
      "post-draft",
      facts.archive === "listed"
        ? "The post is not published. In the public archive, everyone can read its text."
        : "The post is not published. Everyone who has the link to the broadcast can read its text.",
    ],
    [
      size > gmailBytes,
      "size",
      `The email is ${kilobytes} KB. Gmail shows only the first 102 KB of an email.`,
      `Gmail shows the whole email (${kilobytes} KB).`,
    ],
    [
      !facts.hasPostalAddress,
      "postal-address",
      "No postal address is set. Many countries require one in newsletters.",
      "A postal address is set.",
    ],
    [
      isResend && !facts.hasWebhookSecret,
      "webhook-secret",
      "No webhook secret is set, so bounces and complaints will not be detected.",
      isResend && "Bounces and complaints are reported.",
    ],
    [
      !facts.wasTested,
      "test",
      "No test email has been sent since the last change.",
      "A test email has been sent since the last change.",
    ],
  ];
}

/** The sentences of `problemChecks` and the missing files, in order. */
function textRules({ problems, files }: WrittenLetter, { missingFiles }: LetterFacts): Rule[] {
  const has = (...codes: LetterProblem["code"][]) => problems.some(({ code }) => codes.includes(code));
  return [
    [missingFiles.length > 0, "missing-file", "", files.length > 0 && "All files are in Storage."],
    [has("no-alt", "outside-image", "refused-image"), "pictures", "", "Nothing is wrong with pictures."],
    [has("refused-link", "local-link"), "links", "", "Nothing is wrong with links."],
    [has(...ofFields), "fields", "", "Nothing is wrong with merge fields."],
  ];
}

const ofFields: LetterProblem["code"][] = [
  "field-in-address",
  "no-fallback",
  "no-value",
  "no-web-page",
  "unknown-field",
  "unknown-topic",
  "unknown-in-line",
];

/** Separate wordings for one and for several. */
type Words = [one: string, many: (count: number) => string];
const sentences: Record<LetterProblem["code"], Words> = {
  unseen: ["Readers will not see one part of the text.", (n) => `Readers will not see ${n} parts of the text.`],
  mdx: ["The text has an MDX error.", (n) => `The text has ${n} MDX errors.`],
  "no-alt": [
    "A picture has no alternative text. Write it below the picture.",
    (n) => `${n} pictures have no alternative text. Write it below each of them.`,
  ],
  "outside-image": [
    "A picture is on another server, which will know who reads the email.",
    (n) => `${n} pictures are on other servers, which will know who reads the email.`,
  ],
  "refused-image": [
    "A picture is left out: only files from Storage and https URLs work in emails.",
    (n) => `${n} pictures are left out: only files from Storage and https URLs work in emails.`,
  ],
  "refused-link": ["A link has no valid URL.", (n) => `${n} links have no valid URL.`],
  "local-link": ["A link leads to a local URL.", (n) => `${n} links lead to local URLs.`],
  "field-in-address": [
    "A link contains a merge field, which is not filled there. Write the field on its own.",
    (n) => `${n} links contain merge fields, which are not filled there. Write the fields on their own.`,
  ],
  "no-fallback": [
    '{name} is empty for subscribers without a name. Write {name, "friend"} to give them a fallback.',
    (n) =>
      `{name} is empty for subscribers without a name, in ${n} places. Write {name, "friend"} to give them a fallback.`,
  ],
  "no-value": [
    'A field is empty for subscribers without a value. Write {city, "your town"}, for example, to give it a fallback.',
    (n) =>
      `${n} fields are empty for subscribers without a value. Write {city, "your town"}, for example, to give them a fallback.`,
  ],
  "unknown-field": [
    "A merge field is none of your fields and stays blank. Write the key of a field, as it is under Fields.",
    (n) =>
      `${n} merge fields are none of your fields and stay blank. Write the keys of fields, as they are under Fields.`,
  ],
  "unknown-topic": [
    "A link to a topic is left out, because no such topic is offered. Write its name in links, as it is under Topics.",
    (n) =>
      `${n} links to topics are left out, because no such topics are offered. Write their names in links, as they are under Topics.`,
  ],
  "unknown-in-line": [
    "The subject or preview line has a merge field that is none of your fields. Readers see it as it is written.",
    (n) =>
      `The subject and preview line have ${n} merge fields that are none of your fields. Readers see them as they are written.`,
  ],
  "no-web-page": [
    "{browser_url} is empty, because the broadcast is not in the archive.",
    () => "{browser_url} is empty, because the broadcast is not in the archive.",
  ],
};

/**
 * Returns one check for each kind of problem, with all its places. Things that no one meant to be read need no
 * confirmation.
 */
export function problemChecks(problems: LetterProblem[]): Check[] {
  const isMeant = ({ kind }: LetterProblem) => kind === "comment" || kind === "import" || kind === "export";
  const groups = Map.groupBy(
    problems.filter((problem) => !isMeant(problem)),
    ({ code }) => code,
  );
  return [...groups].map(([code, places]) => {
    const [one, many] = sentences[code];
    const line = places[0]?.line;
    const [first] = places;
    const sentence = places.length === 1 ? ((first && foreignField(first)) ?? one) : many(places.length);
    const check = { kind: "warn" as const, code, sentence, inSpite: inSpite[code] };
    return { ...check, ...(line && { line }), places: places.map(placeOf) };
  });
}

/** What to write for a merge field of another program, such as `{{firstName|there}}`; undefined if it is none. */
function foreignField({ code, what }: LetterProblem): string | undefined {
  const [field, name = "", fallback = "friend"] = /^\{\{\s*([\w.]+)\s*(?:\|\s*([^{}"]+?)\s*)?\}\}$/.exec(what) ?? [];
  if (code !== "unseen" || !field) return;
  const own = /name/i.test(name) ? `{name, "${fallback}"}` : /mail/i.test(name) ? "{email}" : undefined;
  return `${field} is not a merge field and stays blank.${own ? ` Write ${own}.` : ""}`;
}

const placeOf = ({ part, line, at, what }: LetterProblem): Place => ({ part, what, ...(line && { line, at }) });
