import { spamReasons } from "../../db/contact/messages";

/** The settings of the contract, and what newsletters need. */
export const settings = {
  name: "Noor Halvorsen",
  jobTitle: "Software engineer",
  email: "noor@halvorsen.example",
  github: "https://github.example/noor",
  linkedin: "https://linkedin.example/in/noor-halvorsen",
  siteTitle: "Noor Halvorsen: small software, carefully",
  siteDescription:
    "I build and look after software for a few hundred people at a time. Notes on tides, rain, databases and bicycles.",
  siteKeywords: "small software, sqlite, tide tables, bergen",
  googleAnalyticsId: "G-0000000000",
  postalAddress: "Skuteviksboder 12, 5035 Bergen, Norway",
  brandAccent: "#1f6f78",
  brandFooter: "Written at a desk with a view of the harbour.",
  postUrl: "https://halvorsen.example/posts/{slug}",
};

/** The files in posts/ and when each was published, in days before today; negative is scheduled, none is a draft. */
export const posts: { file: string; cover?: string; daysAgo?: number; views: number }[] = [
  { file: "notes-from-a-talk-about-small-software", cover: "talk", daysAgo: -7, views: 0 },
  { file: "on-finishing-things", views: 0 },
  { file: "parsing-tide-tables-from-1893", cover: "ledger", daysAgo: 3, views: 812 },
  { file: "reading-code-aloud", cover: "aloud", daysAgo: 17, views: 436 },
  { file: "sqlite-is-the-boring-choice", cover: "disk", daysAgo: 31, views: 2_941 },
  { file: "winter-cycling-is-mostly-about-gloves", cover: "gloves", daysAgo: 52, views: 388 },
  { file: "a-newsletter-for-four-hundred-people", cover: "letters", daysAgo: 74, views: 517 },
  { file: "the-clock-that-was-forty-seconds-slow", cover: "clock", daysAgo: 101, views: 1_260 },
  { file: "fixing-a-keyboard-from-1988", cover: "keyboard", daysAgo: 139, views: 694 },
  { file: "a-map-of-every-bakery", cover: "bakery", daysAgo: 176, views: 903 },
  { file: "release-notes-are-letters", daysAgo: 220, views: 1_105 },
  { file: "a-weather-station-on-the-balcony", cover: "station", daysAgo: 281, views: 1_477 },
];

/** Who looks after the site with its owner. */
export const team = [
  { email: "noor@halvorsen.example", name: "Noor Halvorsen", role: "manager" as const, daysAgo: 300, seenDaysAgo: 0.3 },
  { email: "mara@halvorsen.example", name: "Mara Lindqvist", role: "editor" as const, daysAgo: 120, seenDaysAgo: 2 },
];

/** The keys of its sites, and what each calls; what ended is no longer accepted. */
export const keys = [
  {
    prefix: "blog",
    name: "Blog",
    scopes: ["content:read" as const],
    daysAgo: 210,
    usedDaysAgo: 0.01,
    routes: ["GET /api/v1/posts", "GET /api/v1/posts/:slug", "GET /api/v1/projects"],
  },
  {
    prefix: "landing",
    name: "Landing page",
    scopes: ["visitors" as const],
    daysAgo: 160,
    usedDaysAgo: 0.2,
    routes: ["POST /api/newsletter/subscribe"],
  },
  {
    prefix: "old",
    name: "Old landing page",
    scopes: ["content:read" as const],
    daysAgo: 290,
    usedDaysAgo: 161,
    endedDaysAgo: 160,
    routes: [],
  },
];

/** Addresses that asked not to be written to. */
export const suppressed = ["no-letters@fjord.example", "former.editor@example.org"];

/** Sites that readers come from, and their share of the views. */
export const referrers: [host: string, share: number][] = [
  ["search.example", 0.24],
  ["lobsters.example", 0.12],
  ["mastodon.example", 0.09],
  ["bergen-library.example", 0.06],
  ["boringtechnology.example", 0.04],
];

/** Six projects, in the format of `import projects`. */
export const projects = [
  {
    slug: "stillwater",
    title: "Stillwater",
    description:
      "Tide tables for small harbours, computed from harmonic constants and checked against ledgers from 1893. Works offline, prints on one page.",
    imageUrl: "/images/projects/stillwater.jpg",
    liveUrl: "https://stillwater.example",
    githubUrl: "https://github.example/noor/stillwater",
    featured: true,
    status: "PUBLISHED" as const,
    displayOrder: 1,
    tech: ["Python", "NumPy", "SVG"],
    clicks: 214,
  },
  {
    slug: "lending-desk",
    title: "Lending Desk",
    description:
      "A catalogue and lending desk for libraries that fit in one room. Runs in four places, the largest with 620 readers.",
    imageUrl: "/images/projects/lending-desk.jpg",
    liveUrl: "https://lending-desk.example",
    githubUrl: "https://github.example/noor/lending-desk",
    featured: true,
    status: "PUBLISHED" as const,
    displayOrder: 2,
    tech: ["TypeScript", "Bun", "SQLite", "htmx"],
    clicks: 168,
  },
  {
    slug: "balcony",
    title: "Balcony",
    description:
      "A weather station that stores what its sensors said, not what we think they meant. Two years of rain, open data.",
    imageUrl: "/images/projects/balcony.jpg",
    liveUrl: "https://balcony.example",
    githubUrl: "https://github.example/noor/balcony",
    featured: false,
    status: "PUBLISHED" as const,
    displayOrder: 1,
    tech: ["Python", "Raspberry Pi", "uPlot"],
    clicks: 97,
  },
  {
    slug: "crumbs",
    title: "Crumbs",
    description: "Every bakery within walking distance on one 31 KB page, with a very small skull for raisins.",
    imageUrl: "/images/projects/crumbs.jpg",
    liveUrl: "https://crumbs.example",
    githubUrl: "https://github.example/noor/crumbs",
    featured: false,
    status: "PUBLISHED" as const,
    displayOrder: 2,
    tech: ["SVG", "OpenStreetMap", "HTML"],
    clicks: 142,
  },
  {
    slug: "bicycle-counter",
    title: "Bicycle Counter",
    description:
      "A loop in the asphalt, a small computer in a lamp post, and a number on a sign that makes people ring their bells.",
    imageUrl: "/images/projects/bicycle-counter.jpg",
    liveUrl: "https://counter.example",
    githubUrl: "https://github.example/noor/bicycle-counter",
    featured: false,
    status: "PUBLISHED" as const,
    displayOrder: 3,
    tech: ["Rust", "MQTT"],
    clicks: 61,
  },
  {
    slug: "inside-of-the-lid",
    title: "Inside of the Lid",
    description:
      "A start-up message for command-line programs that tells the owner where the data is stored and how to back it up. Not ready to share.",
    imageUrl: "",
    liveUrl: "https://lid.example",
    githubUrl: "https://github.example/noor/inside-of-the-lid",
    featured: false,
    status: "DRAFT" as const,
    displayOrder: 4,
    tech: ["TypeScript"],
    clicks: 0,
  },
];

type Followed = { kind: "reply" | "answer" | "note"; daysAgo: number; text: string };
type Message = {
  daysAgo: number;
  name: string;
  email: string;
  source: string;
  message: string;
  spamReason?: string;
  /** Comes back in so many days. */
  snoozedFor?: number;
  isDone?: boolean;
  followed?: Followed[];
};

/** The messages in the demo inbox, newest first. */
export const messages: Message[] = [
  {
    daysAgo: 0.1,
    name: "Solveig Aase",
    email: "solveig.aase@example.org",
    source: "blog",
    message:
      "Gudrun Aase was my grandfather's aunt. Nobody in the family knew about the ledgers, and my mother read your page aloud at dinner on Sunday.\n\nWe have two photographs of her on the quay, one with the lamp. Would you like scans?",
  },
  {
    daysAgo: 0.9,
    name: "Daniel Okafor",
    email: "daniel.okafor@example.org",
    source: "landing",
    message:
      "Hello Noor, we run a members' library with about 900 readers and a catalogue in a spreadsheet that has started to fight back. Is the library software something we could host ourselves? Happy to pay for a day of your time.",
    followed: [
      {
        kind: "note",
        daysAgo: 0.8,
        text: "Nine hundred readers is twice what Lending Desk has seen. Ask how many loans a day before promising anything.",
      },
      {
        kind: "reply",
        daysAgo: 0.7,
        text: "Hello Daniel,\n\na spreadsheet that fights back is where Lending Desk comes from, so you are in good company. Yes, you can host it yourselves: one process, one file, and a printed page for the day it is off.\n\nHow many loans leave the desk on a busy day?\n\nNoor",
      },
      {
        kind: "answer",
        daysAgo: 0.3,
        text: "Between sixty and eighty on a Saturday, otherwise perhaps twenty. Reservations are the part that hurts.\n\nCould we see it with our own catalogue before the board meets on the 4th?",
      },
    ],
  },
  {
    daysAgo: 2.3,
    name: "Priya Raman",
    email: "priya@raman.example",
    source: "blog",
    message:
      "Small correction to the rain gauge post: the table says 89 at 80 mm/h, the text says it lost a tenth. Both cannot be right, unless your tenth is generous. Lovely post otherwise.",
    followed: [
      {
        kind: "reply",
        daysAgo: 1.9,
        text: "You are right, and the table is. My tenth was generous. I have corrected the text and thanked you below it.\n\nNoor",
      },
    ],
    isDone: true,
  },
  {
    daysAgo: 3.6,
    name: "SEO Experts Team",
    email: "growth@rankings.example",
    source: "landing",
    message:
      "Dear Sir or Madam, we audited your web site and found 47 critical issues. First page guaranteed or money back. Reply YES for a free consultation.",
    spamReason: spamReasons.hiddenField,
  },
  {
    daysAgo: 5.2,
    name: "Nina Haugland",
    email: "nina.haugland@example.org",
    source: "landing",
    message:
      "The hall is booked from 18:00, and there is a projector with HDMI. About sixty people have signed up so far. Do you need anything on the day besides coffee?",
    followed: [
      { kind: "reply", daysAgo: 4.9, text: "Only a table for the ledger, and somewhere to hang wet coats.\n\nNoor" },
      { kind: "answer", daysAgo: 4.2, text: "Both are there. The coat stand is older than the hall." },
    ],
    snoozedFor: 4,
  },
  {
    daysAgo: 9.4,
    name: "Gareth Pugh",
    email: "gareth@pugh.example",
    source: "blog",
    message:
      "Which lobster gloves? I have been through three pairs of the popular ones and my thumbs still hate me from December on.",
    followed: [
      {
        kind: "reply",
        daysAgo: 8.8,
        text: "The ones with the wool inner glove that comes out. Two sizes larger than you think, and two inner pairs, so that one is always dry.\n\nNoor",
      },
    ],
    isDone: true,
  },
  {
    daysAgo: 14.8,
    name: "Beatrix Holm",
    email: "beatrix.holm@example.org",
    source: "blog",
    message:
      "We tried reading code aloud for a sprint. You forgot to mention that the person at the next desk starts to join in. Ours found the bug.",
  },
  {
    daysAgo: 21.5,
    name: "Jonas Eide",
    email: "jonas.eide@example.com",
    source: "landing",
    message: "There is a new bakery in Skuteviken, in the old boathouse. Cardamom, no raisins. I checked twice.",
  },
];

/** Texts that are put into replies. */
export const snippets = [
  {
    name: "Thank you for writing",
    text: "Hello {name},\n\nthank you for writing. I read everything, and answer on Fridays.",
  },
  {
    name: "Correction made",
    text: "Hello {name},\n\nyou are right. I have corrected the post, and thanked you below it.",
  },
  {
    name: "Lending Desk, first steps",
    text: "Hello {name},\n\nhappy to show you Lending Desk. Send me a few rows of your catalogue, as they are, and I will show you them in it.",
  },
];
