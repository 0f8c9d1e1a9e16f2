/** What someone with each role may do. Owners may do everything, and alone decide who has access. */
export type Role = "owner" | "manager" | "editor" | "analyst";

/** From the one that most people get to the one that decides who has access. */
export const allRoles: Role[] = ["manager", "editor", "analyst", "owner"];

type RoleText = {
  name: string;
  /** "an owner", within a sentence. */
  article: string;
  /** Completes "As an editor, you …" and "Editors …". */
  may: string;
};

export const roleTexts: Record<Role, RoleText> = {
  manager: {
    name: "Manager",
    article: "a manager",
    may: "run everything except access: subscribers, broadcasts, messages, content, storage and settings",
  },
  editor: {
    name: "Editor",
    article: "an editor",
    may: "write and publish posts and projects, and upload files. They see no subscribers and no messages",
  },
  analyst: {
    name: "Analyst",
    article: "an analyst",
    may: "see figures of the newsletter and the site. They see no names, addresses or messages, and change nothing",
  },
  owner: { name: "Owner", article: "an owner", may: "do everything, and decide who has access" },
};

/** What this person may do, said to them. */
export const roleSentence: Record<Role, string> = {
  owner: "You can do everything, and decide who has access.",
  manager: "You can run everything except access, which owners manage.",
  editor: "You can write and publish posts and projects, and upload files. You see no subscribers and no messages.",
  analyst:
    "You can see figures of the newsletter and the site. You see no names, addresses or messages, and change nothing.",
};
