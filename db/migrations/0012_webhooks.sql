CREATE TABLE `scheduled_posts` (
	`post_id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `scheduled_posts_due` ON `scheduled_posts` (`at`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint_id` text NOT NULL,
	`type` text NOT NULL,
	`subject_id` text,
	`body` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`lease_until` integer,
	`attempted_at` integer,
	`status` integer,
	`ms` integer,
	`error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhook_deliveries_known_state" CHECK(state in ('queued', 'delivered', 'dead'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `webhook_deliveries` (`endpoint_id`,`next_attempt_at`,`id`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `deliveries_list` ON `webhook_deliveries` (`endpoint_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_leased` ON `webhook_deliveries` (`lease_until`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `deliveries_age` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`with_people` integer DEFAULT false NOT NULL,
	`secret` text NOT NULL,
	`old_secret` text,
	`old_until` integer,
	`state` text DEFAULT 'on' NOT NULL,
	`failing_since` integer,
	`attempted_at` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "webhook_endpoints_known_state" CHECK(state in ('on', 'off', 'broken'))
) STRICT;
--> statement-breakpoint
-- What was scheduled before is told at its time as well
INSERT INTO `scheduled_posts` (`post_id`, `at`) SELECT `id`, `published_at` FROM `posts` WHERE `published` = 1 AND `deleted_at` IS NULL AND `published_at` > unixepoch('subsec') * 1000;
