import type { SavedView } from "../../db/saved-views";
import type { DateStyle } from "./time";
import type { Names } from "./who";

/** What every page of the dashboard knows besides its own content. */
export type Frame = {
  /** The manager who looks at it. */
  manager: { id: string; email: string; name: string; role: "owner" | "manager" };
  /** Until when the manager has to set up two-step verification or a passkey, when he has neither and must (P76). */
  twoFactorDueAt?: Date | undefined;
  /** The session's form token (D37): a hidden field of every form. */
  token: string;
  /** The path of this page, without the query. */
  path: string;
  siteTitle: string;
  /** How managers are called, by their addresses. */
  names: Names;
  counts: { active: number; unread: number; failedMails: number };
  preferences: Preferences;
  /** Of all lists. */
  savedViews: SavedView[];
  /** Notices left by the action that led here, for the way without JavaScript. */
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
};

export type Notice = {
  kind: "good" | "bad";
  text: string;
  /** An action that takes it back: a POST to this address. */
  undo?: { action: string; fields: Record<string, string> };
};
