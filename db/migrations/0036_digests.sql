CREATE TABLE `digests` (
	`row` integer PRIMARY KEY NOT NULL,
	`rule_row` integer,
	`week` text NOT NULL,
	`state` text NOT NULL,
	`broadcast_row` integer,
	`version` integer NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`rule_row`) REFERENCES `post_rules`(`row`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "digests_known_state" CHECK(state in ('due', 'done'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `digests_once` ON `digests` (`rule_row`,`week`);--> statement-breakpoint
CREATE INDEX `digests_due` ON `digests` (`due_at`) WHERE state = 'due';--> statement-breakpoint
CREATE INDEX `digests_broadcast` ON `digests` (`broadcast_row`);--> statement-breakpoint
ALTER TABLE `post_rules` ADD `weekday` integer;--> statement-breakpoint
ALTER TABLE `post_rules` ADD `minute` integer;--> statement-breakpoint
ALTER TABLE `post_rules` ADD `zone` text;--> statement-breakpoint
ALTER TABLE `post_rules` ADD `next_at` integer;--> statement-breakpoint
CREATE INDEX `post_mailings_waiting` ON `post_mailings` (`rule_row`) WHERE state = 'waiting';
