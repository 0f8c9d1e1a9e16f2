CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`subject` text NOT NULL,
	`title` text NOT NULL,
	`detail` text NOT NULL,
	`since` integer NOT NULL,
	`told_at` integer,
	`quiet_since` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_subject` ON `alerts` (`name`,`subject`);
