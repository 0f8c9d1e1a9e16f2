CREATE TABLE `jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pending_import_files` (
	`hash` text NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`hash`, `position`),
	FOREIGN KEY (`hash`) REFERENCES `pending_imports`(`hash`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `pending_imports` (
	`hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`session_id` text NOT NULL,
	`options` text DEFAULT '{}' NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `pending_imports_expiry` ON `pending_imports` (`expires_at`);--> statement-breakpoint
CREATE TABLE `visit_salts` (
	`day` integer PRIMARY KEY NOT NULL,
	`salt` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `visits` (
	`day` integer NOT NULL,
	`visitor` text NOT NULL,
	PRIMARY KEY(`day`, `visitor`)
) STRICT;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `notices` text;