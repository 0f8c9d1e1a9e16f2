CREATE TABLE `segments` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`definition` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `segments_id_unique` ON `segments` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `segments_folded_unique` ON `segments` (`folded`);--> statement-breakpoint
ALTER TABLE `field_values` ADD `folded` text;--> statement-breakpoint
ALTER TABLE `broadcasts` ADD `segment_row` integer REFERENCES segments(row) ON DELETE set null;--> statement-breakpoint
ALTER TABLE `broadcasts` ADD `frozen_segment` text;