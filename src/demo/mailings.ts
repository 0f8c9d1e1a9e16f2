/* What the sample site sends: newsletters, and the emails that begin when someone subscribes. */

type Archive = "listed" | "unlisted";
type Sample = {
  subject: string;
  preheader: string;
  /** Its own text, or what is above the post. */
  content: string;
  /** The slug of a post. */
  post?: string;
  archive: Archive;
};

/** Newsletters that were sent, how many days ago, and what came back. */
export type SentSample = Sample & {
  daysAgo: number;
  /** How many visited its page. */
  visits: number;
  bounced: number;
  complained: number;
  left: number;
};

export const sentSamples: SentSample[] = [
  {
    daysAgo: 88,
    subject: "A first letter, from a desk with a view of the harbour",
    preheader: "What this is, how often it comes, and what it will never be.",
    content:
      'Hello {name, "there"},\n\nthis is the first letter to a list that fits in one room. It comes when there is something to read, which is about every second week.\n\nIt will have tides, rain, databases and bicycles. It will never have a countdown.\n\nIf you answer, I read it. I answer on Fridays.\n\nNoor',
    archive: "listed",
    visits: 41,
    bounced: 2,
    complained: 0,
    left: 1,
  },
  {
    daysAgo: 73.8,
    subject: "A newsletter for four hundred people",
    preheader: "Small lists are read differently. So are their mistakes.",
    content: "",
    post: "a-newsletter-for-four-hundred-people",
    archive: "listed",
    visits: 96,
    bounced: 1,
    complained: 0,
    left: 2,
  },
  {
    daysAgo: 51.7,
    subject: "Winter cycling is mostly about gloves",
    preheader: "Eleven winters, five pairs, one opinion.",
    content: "It is minus four at the harbour, and the gloves are on the radiator. You asked which ones.",
    post: "winter-cycling-is-mostly-about-gloves",
    archive: "listed",
    visits: 118,
    bounced: 1,
    complained: 1,
    left: 3,
  },
  {
    daysAgo: 30.8,
    subject: "SQLite is the boring choice",
    preheader: "One file, one process, and nights without a phone.",
    content: "",
    post: "sqlite-is-the-boring-choice",
    archive: "listed",
    visits: 264,
    bounced: 2,
    complained: 0,
    left: 2,
  },
  {
    daysAgo: 16.9,
    subject: "Reading code aloud",
    preheader: "An hour a week, two chairs, no screen sharing.",
    content: "Try it with a colleague and a cup of something warm. Then tell me what you heard.",
    post: "reading-code-aloud",
    archive: "listed",
    visits: 141,
    bounced: 0,
    complained: 0,
    left: 3,
  },
  {
    daysAgo: 2.9,
    subject: "Fifty years of tides, in somebody’s handwriting",
    preheader: "3,400 photographed pages, eleven hands, and the one who rounds on Sundays.",
    content: "The ledgers are done. It took one winter, and I miss them a little.",
    post: "parsing-tide-tables-from-1893",
    archive: "listed",
    visits: 203,
    bounced: 2,
    complained: 1,
    left: 2,
  },
];

/** Paused by a manager while it was being sent. */
export const pausedSample: Sample & { minutesAgo: number } = {
  minutesAgo: 48,
  subject: "Thursday at the library: bring a coat that can drip",
  preheader: "The talk begins at 18:00. The ledger will be on the table.",
  content:
    'Hello {name, "there"},\n\non Thursday I talk about small software in the library’s hall. There is coffee, a projector with HDMI, and one ledger from 1893 that you may touch with clean hands.\n\nThe doors open at 17:30. The coat stand is older than the hall.\n\nNoor',
  archive: "listed",
};

export const scheduledSample: Sample & { inDays: number } = {
  inDays: 2.4,
  subject: "What the rain gauge learned in two years",
  preheader: "It lost a tenth in heavy rain. Now we know which tenth.",
  content:
    'Hello {name, "there"},\n\ntwo years ago I put a rain gauge on the balcony. Since then it has tipped 41,212 times, and been wrong in one way that I could measure.\n\n## What it gets wrong\n\nAbove 60 mm an hour the bucket tips while it is still filling. The correction is one line, and it took me a year to find it.\n\nNoor',
  archive: "listed",
};

export const draftSamples: Sample[] = [
  {
    subject: "Five small tools I stopped noticing",
    preheader: "",
    content:
      "The best ones are those I forget to mention. A list, before I forget again.\n\n- The alarm clock of 1988\n",
    archive: "listed",
  },
  {
    subject: "Where the bakeries went",
    preheader: "A map, redrawn after a winter.",
    content: "",
    post: "a-map-of-every-bakery",
    archive: "listed",
  },
];

type SampleStep = { waitHours: number; atMinute: number | null; subject: string; preheader: string; content: string };
type SampleSequence = { name: string; daysAgo: number; isOn: boolean; trigger: "subscribed"; steps: SampleStep[] };

const nine = 9 * 60;

export const sequenceSamples: SampleSequence[] = [
  {
    name: "Welcome, slowly",
    daysAgo: 58,
    isOn: true,
    trigger: "subscribed",
    steps: [
      {
        waitHours: 2,
        atMinute: null,
        subject: "Pull up a chair",
        preheader: "Three posts to begin with, and how to leave.",
        content:
          'Hello {name, "there"},\n\ngood to have you. Begin with the clock that was forty seconds slow: it is short, and it explains the rest.\n\nNoor',
      },
      {
        waitHours: 4 * 24,
        atMinute: nine,
        subject: "The one about the clock",
        preheader: "Forty seconds are a lot, if you are a ferry.",
        content:
          "The station clock was slow by forty seconds for eleven years. Everyone knew, and everyone was on time.",
      },
      {
        waitHours: 8 * 24,
        atMinute: nine,
        subject: "What would you like to read?",
        preheader: "Tides, software, or both. One click, and only that comes.",
        content:
          "You have had two letters from me. Below this one is a link where you choose what else comes, and what does not.",
      },
    ],
  },
  {
    name: "A short course in tide tables",
    daysAgo: 6,
    isOn: false,
    trigger: "subscribed",
    steps: [
      {
        waitHours: 0,
        atMinute: null,
        subject: "Lesson 1: what the moon does",
        preheader: "",
        content: "Twice a day, with a delay of fifty minutes. The rest is harbours.",
      },
      {
        waitHours: 2 * 24,
        atMinute: nine,
        subject: "Lesson 2: reading the ledger",
        preheader: "",
        content: "Eleven hands, two units, and one person who rounds on Sundays.",
      },
    ],
  },
];
