CREATE TABLE `message_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`kind` text NOT NULL,
	`author` text,
	`name` text,
	`email` text,
	`email_key` text,
	`text` text NOT NULL,
	`mail_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_entries_thread` ON `message_entries` (`message_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `message_entries_sender` ON `message_entries` (`email_key`) WHERE email_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `message_entries_mail` ON `message_entries` (`mail_id`) WHERE mail_id is not null;--> statement-breakpoint
CREATE TABLE `snippets` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
DROP INDEX `messages_box`;--> statement-breakpoint
ALTER TABLE `messages` ADD `snoozed_until` integer;--> statement-breakpoint
ALTER TABLE `messages` ADD `surfaced_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `messages` SET `surfaced_at` = `created_at`;--> statement-breakpoint
ALTER TABLE `messages` ADD `replied_at` integer;--> statement-breakpoint
ALTER TABLE `messages` ADD `assignee_id` text REFERENCES managers(id) ON DELETE set null;--> statement-breakpoint
ALTER TABLE `messages` ADD `thread_key` text;--> statement-breakpoint
CREATE INDEX `messages_snoozed` ON `messages` (`snoozed_until`) WHERE snoozed_until is not null;--> statement-breakpoint
CREATE INDEX `messages_assignee` ON `messages` (`assignee_id`) WHERE assignee_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `messages_thread` ON `messages` (`thread_key`) WHERE thread_key is not null;--> statement-breakpoint
CREATE INDEX `messages_box` ON `messages` (`deleted_at`,`spam_reason`,`quarantined`,`archived_at`,`snoozed_until`,`surfaced_at`,`id`,`read_at`);
