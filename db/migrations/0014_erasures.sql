CREATE TABLE `erasures` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`request` text,
	`scope` text NOT NULL,
	`counts` text NOT NULL,
	`finished_at` integer,
	`waits_for` text,
	`checked_at` integer,
	`remnants` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `erasures_hash` ON `erasures` (`hash`);--> statement-breakpoint
ALTER TABLE `messages` ADD `email_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_sender` ON `messages` (`email_key`,`created_at`);--> statement-breakpoint
-- By hand from here. Addresses beyond ASCII are derived by db/ops/refold.ts.
UPDATE `messages` SET `email_key` = lower(trim(`email`));
