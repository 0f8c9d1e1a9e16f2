ALTER TABLE `api_keys` ADD `upload_limits` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `first_used_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `ends_when_quiet` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `verifying_since` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `verify_seconds` integer DEFAULT 30 NOT NULL;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `accepts_unanswered` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_verifying` ON `webhook_deliveries` (`subject_id`) WHERE type = 'upload.verify' and state = 'queued';
--> statement-breakpoint
-- what is remembered about a key holds when what it may upload changes
DROP TRIGGER `api_keys_version_update`;
--> statement-breakpoint
CREATE TRIGGER `api_keys_version_update` AFTER UPDATE OF `hash`, `active`, `expires_at`, `replaced_by`, `scopes`, `networks`, `upload_limits` ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
