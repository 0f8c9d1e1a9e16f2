ALTER TABLE `messages` ADD `api_key_id` text;--> statement-breakpoint
CREATE INDEX `messages_api_key` ON `messages` (`api_key_id`,`created_at`) WHERE api_key_id is not null;