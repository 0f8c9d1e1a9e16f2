CREATE TABLE `bounce_mailbox` (
	`name` text PRIMARY KEY NOT NULL,
	`uid_validity` integer,
	`last_uid` integer DEFAULT 0 NOT NULL,
	`searched_at` integer,
	`problem` text,
	`problem_at` integer,
	`reports` integer DEFAULT 0 NOT NULL,
	`answers` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
