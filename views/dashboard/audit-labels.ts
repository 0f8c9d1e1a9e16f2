import type { AuditAction } from "../../db/audit";

/** "api-key.deactivate" becomes "deactivate api key". */
const words = (action: string) => action.split(".").reverse().join(" ").replaceAll("-", " ");

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
  expires: "Expires",
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

/**
 * What was done, after the actor's name: "restored the file {target}". The first text is used for which the entry has
 * every placeholder: its target, or one of its details. `{count:post}` is "1 post" or "12 posts".
 */
type Label = string | readonly string[];

const changed = (verb: string, one: string, of = "") => [
  `${verb} the ${one}${of} {target}`,
  `${verb} {count:${one}}`,
  `${verb} a ${one}`,
];
/** "moved the post {target} to the trash", "moved 12 posts to the trash". */
const moved = (verb: string, one: string, where: string, of = "") =>
  changed(verb, one, of).map((text) => `${text} ${where}`);

/** The texts of each action. */
const auditLabels: Record<AuditAction, Label> = {
  "api-key.create": "generated the API key {target}",
  "api-key.deactivate": "deactivated the API key {target}",
  "api-key.extend": "gave the replaced API key {target} more time",
  "api-key.replace": "replaced the API key {target}",
  "api-key.take-over": "took over the API key {target} from {from}",
  "audit.export": "exported the audit log",
  "broadcast.archive": "changed whether the archive shows the broadcast {target}",
  "broadcast.cancel": changed("cancelled", "broadcast"),
  "broadcast.confirm": "confirmed the broadcast {target}",
  "broadcast.copy": "copied the broadcast {target}",
  "broadcast.create": "created the broadcast {target}",
  "broadcast.delete": changed("permanently deleted", "broadcast"),
  "broadcast.export": "exported the recipients of the broadcast {target}",
  "broadcast.finish": "finished sending the broadcast {target}",
  "broadcast.leave": "decided not to send the broadcast {target} to uncertain recipients again",
  "broadcast.pause": "paused the broadcast {target}",
  "broadcast.resend": "sent the broadcast {target} to uncertain or refused recipients again",
  "broadcast.restore": changed("restored", "broadcast"),
  "broadcast.resume": "resumed the broadcast {target}",
  "broadcast.start": "started sending the broadcast {target}",
  "broadcast.take-over": "took over the scheduled broadcast {target} from {from}",
  "broadcast.test": "sent a test of the broadcast {target}",
  "broadcast.trash": moved("moved", "broadcast", "to the trash"),
  "broadcast.unschedule": "unscheduled the broadcast {target}",
  "file.delete": changed("permanently deleted", "file"),
  "file.describe": "changed the metadata of {target}",
  "file.found": "found the missing file {target} again",
  "file.lost": "found the file {target} missing on its storage node",
  "file.move": [...moved("moved", "file", "to {to}"), "moved files"],
  "file.rename": ["renamed the file {before} to {target}", "renamed a file to {target}"],
  "file.resize": "corrected the size of the file {target}",
  "file.restore": changed("restored", "file"),
  "file.trash": moved("moved", "file", "to the trash"),
  "file.upload": "started uploading {target}",
  "file.upload-cancel": "cancelled the upload of {target}",
  "folder.create": "created the folder {target}",
  "folder.remove": "removed the folder {target}",
  "mail.cancel": changed("cancelled", "email", " to"),
  "mail.repeat": "sent the email to {target} again",
  "mail.retry": changed("retried", "email", " to"),
  "mail.test": "sent a test email to {target}",
  "manager.change-password": "changed the password of {target}",
  "manager.change-role": "changed the role of {target} to {to}",
  "manager.invite": "invited {target}",
  "manager.join": "accepted the invitation",
  "manager.prefer": "changed their preferences",
  "manager.refuse-password": "entered a wrong current password",
  "manager.remove": "removed the manager {target}",
  "manager.rename": "changed the name of {target}",
  "manager.require": "made {target} required for every manager",
  "manager.reset": "created a password reset link for {target}",
  "manager.set-up": "created the owner account {target}",
  "manager.waive": "made {target} optional for managers",
  "manager.withdraw-invitation": "withdrew the invitation for {target}",
  "manager.withdraw-reset": ["withdrew the password reset link for {target}", "withdrew a password reset link"],
  "message.archive": changed("archived", "message", " from"),
  "message.delete": changed("permanently deleted", "message", " from"),
  "message.export": "exported the messages",
  "message.not-spam": moved("marked", "message", "as not spam", " from"),
  "message.read": moved("marked", "message", "as read", " from"),
  "message.release": moved("released", "message", "from quarantine", " from"),
  "message.restore": changed("restored", "message", " from"),
  "message.spam": moved("marked", "message", "as spam", " from"),
  "message.trash": moved("moved", "message", "to the trash", " from"),
  "message.unarchive": moved("moved", "message", "back to the inbox", " from"),
  "message.unread": moved("marked", "message", "as unread", " from"),
  "passkey.add": "added the passkey {target}",
  "passkey.remove": "removed the passkey {target}",
  "passkey.rename": ["renamed the passkey {from} to {target}", "renamed the passkey {target}"],
  "person.erase": ["erased the data of a person ({target})", "erased the data of a person"],
  "person.export": ["exported the data of {target}", "exported the data of a person"],
  "post.change": "edited the post {target}",
  "post.create": "created the draft {target}",
  "post.delete": changed("permanently deleted", "post"),
  "post.export": "exported all posts",
  "post.import": "imported posts",
  "post.publish": changed("published", "post"),
  "post.restore": changed("restored", "post"),
  "post.revert": "restored an earlier revision of the post {target}",
  "post.share": "created a preview link for the post {target}",
  "post.tag": ["added the tag {tag} to the post {target}", "added the tag {tag} to {count:post}", "tagged posts"],
  "post.trash": moved("moved", "post", "to the trash"),
  "post.unpublish": changed("unpublished", "post"),
  "post.untag": [
    "removed the tag {tag} from the post {target}",
    "removed the tag {tag} from {count:post}",
    "removed a tag from posts",
  ],
  "project.archive": changed("archived", "project"),
  "project.change": "edited the project {target}",
  "project.create": "created the project {target}",
  "project.delete": changed("permanently deleted", "project"),
  "project.duplicate": "duplicated the project {target} as a draft",
  "project.feature": changed("featured", "project"),
  "project.import": "imported projects",
  "project.publish": changed("published", "project"),
  "project.reorder": ["reordered the project {target} ({from} → {to})", "reordered the project {target}"],
  "project.restore": changed("restored", "project"),
  "project.trash": moved("moved", "project", "to the trash"),
  "project.unfeature": changed("stopped featuring", "project"),
  "project.unpublish": changed("unpublished", "project"),
  "second-step.replace-codes": "generated new recovery codes",
  "second-step.turn-off": "turned off two-step verification",
  "second-step.turn-on": "turned on two-step verification",
  "session.begin": "signed in",
  "session.end": "signed out",
  "session.end-all": "signed {target} out everywhere",
  "session.end-others": "signed out on all other devices",
  "session.refuse": ["failed to sign in as {target}", "failed to sign in"],
  "setting.change": "changed the setting {target}",
  "setting.remove": "removed the setting {target}",
  "storage-node.activate": "re-enabled uploads to the storage node {target}",
  "storage-node.add": "added the storage node {target}",
  "storage-node.drain": "drained the storage node {target}",
  "storage-node.edit": "edited the storage node {target}",
  "storage-node.full": "stopped uploads to the full storage node {target}",
  "storage-node.recount": "recalculated the usage of the storage node {target}",
  "storage-node.remove": "removed the storage node {target}",
  "storage-node.rest": [
    "paused the storage node {target} for one minute ({because})",
    "paused the storage node {target} for one minute",
  ],
  "storage-node.return": "resumed the storage node {target}",
  "storage-node.room": "resumed uploads to the storage node {target}, which has space again",
  "subscriber.add": "added the subscriber {target}",
  "subscriber.change": "edited the subscriber {target}",
  "subscriber.confirm": changed("confirmed", "subscriber"),
  "subscriber.delete": changed("deleted", "subscriber"),
  "subscriber.export": "exported the subscriber list",
  "subscriber.export-refused": "downloaded the refused lines of an import",
  "subscriber.import": [
    "imported {new:subscriber} and unsubscribed {unsubscribed:subscriber}",
    "imported {new:subscriber}",
    "unsubscribed {unsubscribed:subscriber} by an import",
    "imported subscribers",
  ],
  "subscriber.reactivate": changed("reactivated", "subscriber"),
  "subscriber.remind": [
    "sent {target} the confirmation link again",
    "sent {count:subscriber} the confirmation link again",
  ],
  "subscriber.restore": ["restored {count:subscriber} unsubscribed by a mail scanner"],
  "suppression.add": "suppressed the address {target}",
  "suppression.export": "exported the suppressions",
  "suppression.import": ["imported {added:suppression}", "imported suppressions"],
  "suppression.lift": ["lifted the suppression of {target}", "lifted {count:suppression}"],
  "subscriber.unsubscribe": changed("unsubscribed", "subscriber"),
  "tag.delete": "deleted the tag {target}",
  "tag.merge": ["merged the tag {target} into {into}", "merged the tag {target} into another"],
  "tag.rename": ["renamed a tag ({name})", "renamed the tag {target}"],
  "upload.abort": "cancelled the upload of {target}",
  "webhook.add": "added the webhook endpoint {target}",
  "webhook.break": "turned off the webhook endpoint {target}, which had failed for 5 days",
  "webhook.change": "edited the webhook endpoint {target}",
  "webhook.gone": "turned off the webhook endpoint {target}, which no longer exists (410)",
  "webhook.ping": "sent a ping to the webhook endpoint {target}",
  "webhook.redeliver": [
    "sent {count:call} to the webhook endpoint {target} again",
    "sent calls to the webhook endpoint {target} again",
  ],
  "webhook.remove": "removed the webhook endpoint {target}",
  "webhook.rotate": "replaced the signing secret of the webhook endpoint {target}",
  "webhook.take-over": "took over the webhook endpoint {target} from {from}",
  "webhook.turn-off": "turned off the webhook endpoint {target}",
  "webhook.turn-on": "turned on the webhook endpoint {target}",
};

/** The texts for managers who act on themselves. */
const ownLabels: Partial<Record<AuditAction, Label>> = {
  "manager.change-password": ["reset their password with a {by}", "changed their own password"],
  "manager.rename": "changed their own name",
  "manager.set-up": "set up Postroom",
  "session.end-all": "signed out everywhere",
};

const [labels, own]: Record<string, Label>[] = [auditLabels, ownLabels];

/** Returns the texts of an action, the most specific first. An action of another version reads "trash message". */
export const auditLabel = (action: string, isOwn: boolean): readonly string[] =>
  [(isOwn && own?.[action]) || labels?.[action] || [], `${words(action)} {target}`, words(action)].flat();
