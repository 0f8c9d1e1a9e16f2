ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `replaced_by` text;
--> statement-breakpoint
-- what is remembered about a key holds when it expires
DROP TRIGGER `api_keys_version_update`;
--> statement-breakpoint
CREATE TRIGGER `api_keys_version_update` AFTER UPDATE OF `hash`, `active`, `expires_at` ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
