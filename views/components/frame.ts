import type { paths } from "../paths";
import type { SavedView } from "../../db/saved-views";
import type { Role } from "./roles";
import type { DateStyle } from "./time";
import type { Names } from "./who";

/** What every page of the dashboard needs besides its own content. */
export type Frame = {
  /** The signed-in manager. */
  manager: { id: string; email: string; name: string; role: Role };
  /** The deadline for setting up two-step verification or a passkey, if the manager has neither and must. */
  twoFactorDueAt?: Date | undefined;
  /** The session's form token (D37): a hidden field of every form. */
  token: string;
  /** The path of this page, without the query. */
  path: string;
  siteTitle: string;
  /** The names of managers, by address. */
  names: Names;
  /** Those who may read messages, as others see them. */
  team: { id: string; name: string }[];
  /** Whether the manager's role includes the route that a path leads to. */
  may: (path: string, method?: "GET" | "POST") => boolean;
  counts: { active: number; unread: number; failedMails: number };
  preferences: Preferences;
  /** What the page knows of what it follows, for public/follow.ts. */
  live?: string | undefined;
  /** The manager's saved views of all lists. */
  savedViews: SavedView[];
  /** The most characters of a search for everything. */
  longestSearch?: number | undefined;
  /** Notices from the action that led here, if JavaScript is off. */
  notices: Notice[];
  now: Date;
};

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export type Preferences = {
  theme: Theme;
  density: "compact" | "comfortable";
  timeZone: string;
  dates: DateStyle;
  shortcuts: "on" | "off";
  firstSteps: "shown" | "hidden";
  /** The rarer pages in the navigation, as this browser had them last. */
  rarerPages: "folded" | "unfolded";
  /** The columns of each list that are shown or hidden other than at first. */
  columns: Record<string, string[]>;
};

export type Notice = {
  kind: "good" | "bad";
  text: string;
  /** The ID of what now says so on the page: it gets the focus there, instead of the heading. */
  saidBy?: string;
  /** The day on which something has just gone out, such as "24 Nov 2026": the one quiet moment. */
  postmark?: string;
  /** The action that undoes it: a POST to this path. */
  undo?: { action: string; fields: Record<string, string> };
  /** The page of the one thing that has just come back, and that the list may not show. */
  open?: PagePath;
  /** Where visitors see what has just been published. */
  live?: string;
};
export type PagePath = `${typeof paths.overview}/${string}`;
