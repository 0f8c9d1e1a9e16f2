/** The actions in the audit log, as noun.verb. Their texts are in views/dashboard/audit-labels.ts. */
export type AuditAction =
  | `api-key.${"create" | "deactivate" | "extend" | "replace" | "take-over"}`
  | "audit.export"
  | `broadcast.${"archive" | "cancel" | "confirm" | "copy" | "create" | "delete" | "export" | "finish" | "leave" | "pause" | "restore" | "resend" | "resume" | "start" | "take-over" | "test" | "trash" | "unschedule"}`
  | `file.${"delete" | "found" | "lost" | "move" | "rename" | "resize" | "restore" | "trash" | "upload" | "upload-cancel"}`
  | `folder.${"create" | "remove"}`
  | `mail.${"cancel" | "repeat" | "retry" | "test"}`
  | `manager.${"change-password" | "change-role" | "invite" | "join" | "prefer" | "refuse-password" | "remove" | "rename" | "require" | "reset" | "set-up" | "waive" | "withdraw-invitation" | "withdraw-reset"}`
  | `message.${"archive" | "delete" | "export" | "not-spam" | "read" | "release" | "restore" | "spam" | "trash" | "unarchive" | "unread"}`
  | `passkey.${"add" | "remove" | "rename"}`
  | `person.${"erase" | "export"}`
  | `post.${"change" | "create" | "delete" | "export" | "import" | "publish" | "restore" | "revert" | "share" | "tag" | "trash" | "unpublish" | "untag"}`
  | `project.${"archive" | "change" | "create" | "delete" | "duplicate" | "feature" | "import" | "publish" | "reorder" | "restore" | "trash" | "unfeature" | "unpublish"}`
  | `second-step.${"replace-codes" | "turn-off" | "turn-on"}`
  | `session.${"begin" | "end" | "end-all" | "end-others" | "refuse"}`
  | `setting.${"change" | "remove"}`
  | `storage-node.${"activate" | "add" | "drain" | "edit" | "full" | "recount" | "remove" | "rest" | "return" | "room"}`
  | `subscriber.${"add" | "change" | "confirm" | "delete" | "export" | "export-refused" | "import" | "reactivate" | "remind" | "restore" | "unsubscribe"}`
  | `suppression.${"add" | "export" | "import" | "lift"}`
  | `tag.${"delete" | "merge" | "rename"}`
  | "upload.abort"
  | `webhook.${"add" | "break" | "change" | "gone" | "ping" | "redeliver" | "remove" | "rotate" | "take-over" | "turn-off" | "turn-on"}`;
/** The verbs of a noun, such as "create" in `AuditVerb<"project">`. */
export type AuditVerb<
  Noun extends string,
  Action extends AuditAction = AuditAction,
> = Action extends `${Noun}.${infer Verb}` ? Verb : never;
