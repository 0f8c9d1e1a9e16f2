import type { AuditAction } from "../../db/audit-actions";

/** "api-key.deactivate" becomes "deactivate api key". */
export const words = (action: string) => action.split(".").reverse().join(" ").replaceAll("-", " ");

const groups: Record<string, string> = {
  audit: "Audit log",
  "api-key": "API keys",
  broadcast: "Broadcasts",
  file: "Files",
  folder: "Folders",
  mail: "Emails",
  manager: "Managers",
  message: "Messages",
  passkey: "Passkeys",
  person: "People",
  post: "Posts",
  project: "Projects",
  "second-step": "Two-step verification",
  session: "Sign-ins",
  setting: "Settings",
  "storage-node": "Storage nodes",
  subscriber: "Subscribers",
  suppression: "Suppressions",
  tag: "Tags",
  upload: "Uploads",
  webhook: "Webhooks",
} satisfies Record<AuditAction extends `${infer Noun}.${string}` ? Noun : never, string>;

/** The actions of one noun, as the filter names them. */
export const groupLabel = (group: string) => groups[group] ?? words(group);

const details: Record<string, string> = {
  because: "Reason",
  before: "Previous name",
  count: "Items",
  days: "Valid for (days)",
  into: "Merged into",
  invalid: "Rejected",
  refused: "Rejected",
  revived: "Reactivated",
  same: "Unchanged",
  sessions: "Sessions ended",
};

/** The name of a detail: "Reason", "Sessions ended". */
export const detailLabel = (name: string) => details[name] ?? capital(words(name));

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
