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
