CREATE TABLE `audience_tags` (
	`row` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`used_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audience_tags_folded_unique` ON `audience_tags` (`folded`);--> statement-breakpoint
CREATE TABLE `subscriber_tags` (
	`tag_row` integer NOT NULL,
	`subscriber_row` integer NOT NULL,
	PRIMARY KEY(`tag_row`, `subscriber_row`),
	FOREIGN KEY (`tag_row`) REFERENCES `audience_tags`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriber_tags_subscriber` ON `subscriber_tags` (`subscriber_row`,`tag_row`);
