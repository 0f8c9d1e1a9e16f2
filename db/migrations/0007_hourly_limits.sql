CREATE TABLE `limits_reached` (
	`key` text PRIMARY KEY NOT NULL,
	`reached_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
DROP INDEX `subscriber_events_created`;--> statement-breakpoint
CREATE INDEX `subscriber_events_kind` ON `subscriber_events` (`kind`,`created_at`);--> statement-breakpoint
DROP INDEX `messages_box`;--> statement-breakpoint
ALTER TABLE `messages` ADD `honeypot` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `quarantined` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `quarantined_at` integer;--> statement-breakpoint
CREATE INDEX `messages_people` ON `messages` (`created_at`) WHERE honeypot = 0;--> statement-breakpoint
CREATE INDEX `messages_box` ON `messages` (`deleted_at`,`spam_reason`,`quarantined`,`archived_at`,`created_at`,`id`,`read_at`);--> statement-breakpoint
DROP INDEX `outbox_due`;--> statement-breakpoint
ALTER TABLE `outbox` ADD `mailbox_key` text;--> statement-breakpoint
ALTER TABLE `outbox` ADD `lane` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `admitted_at` integer;--> statement-breakpoint
CREATE INDEX `outbox_admitted` ON `outbox` (`admitted_at`) WHERE admitted_at is not null;--> statement-breakpoint
CREATE INDEX `outbox_mailbox` ON `outbox` (`mailbox_key`,`created_at`) WHERE mailbox_key is not null;--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`lane`,`next_attempt_at`) WHERE state = 'queued';
--> statement-breakpoint
-- By hand: what waits at this moment has its turn like every other mail to a stranger
UPDATE `outbox` SET `lane` = 2 WHERE state = 'queued' AND kind = 'welcome';
