/** The nine settings of the contract. */
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
};

/** The files in posts/ and when each was published, in days before today; negative is scheduled, none is a draft. */
export const posts: { file: string; daysAgo?: number; views: number }[] = [
  { file: "notes-from-a-talk-about-small-software", daysAgo: -7, views: 0 },
  { file: "on-finishing-things", views: 0 },
  { file: "parsing-tide-tables-from-1893", daysAgo: 3, views: 812 },
  { file: "reading-code-aloud", daysAgo: 17, views: 436 },
  { file: "sqlite-is-the-boring-choice", daysAgo: 31, views: 2_941 },
  { file: "winter-cycling-is-mostly-about-gloves", daysAgo: 52, views: 388 },
  { file: "a-newsletter-for-four-hundred-people", daysAgo: 74, views: 517 },
  { file: "the-clock-that-was-forty-seconds-slow", daysAgo: 101, views: 1_260 },
  { file: "fixing-a-keyboard-from-1988", daysAgo: 139, views: 694 },
  { file: "a-map-of-every-bakery", daysAgo: 176, views: 903 },
  { file: "release-notes-are-letters", daysAgo: 220, views: 1_105 },
  { file: "a-weather-station-on-the-balcony", daysAgo: 281, views: 1_477 },
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
