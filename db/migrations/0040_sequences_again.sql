DROP INDEX `broadcast_recipients_once`;--> statement-breakpoint
ALTER TABLE `broadcast_recipients` ADD `run` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `broadcast_recipients_once` ON `broadcast_recipients` (`broadcast_row`,`subscriber_row`,`run`);--> statement-breakpoint
ALTER TABLE `sequence_people` ADD `run` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sequences` ADD `again_days` integer;--> statement-breakpoint
CREATE INDEX `subscriber_events_key` ON `subscriber_events` (`api_key_id`,`subscriber_id`) WHERE api_key_id is not null and kind in ('subscribed', 'reactivated');