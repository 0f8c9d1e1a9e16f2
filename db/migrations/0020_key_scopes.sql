CREATE TABLE `api_key_callers` (
	`id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`network` text NOT NULL,
	`agent` text NOT NULL,
	`route` text NOT NULL,
	`outcome` text NOT NULL,
	`calls` integer NOT NULL,
	`last_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `api_key_callers_key` ON `api_key_callers` (`key_id`,`last_at`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `networks` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `warned_days` integer;--> statement-breakpoint
ALTER TABLE `subscriber_events` ADD `api_key_id` text;
--> statement-breakpoint
-- what is remembered about a key holds when it is replaced, or when what it may do changes
DROP TRIGGER `api_keys_version_update`;
--> statement-breakpoint
CREATE TRIGGER `api_keys_version_update` AFTER UPDATE OF `hash`, `active`, `expires_at`, `replaced_by`, `scopes`, `networks` ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
