CREATE TABLE `saved_views` (
	`id` text PRIMARY KEY NOT NULL,
	`manager_id` text NOT NULL,
	`path` text NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_views_name` ON `saved_views` (`manager_id`,`path`,`name`);--> statement-breakpoint
CREATE INDEX `subscribers_unsubscribed` ON `subscribers` (`state`,`unsubscribed_at`,`id`) WHERE state = 'unsubscribed';
