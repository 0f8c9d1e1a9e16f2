CREATE TABLE `file_variants` (
	`key` text PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`claimed_until` integer NOT NULL,
	`ready_at` integer,
	FOREIGN KEY (`node_id`) REFERENCES `storage_nodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `file_variants_node` ON `file_variants` (`node_id`,`key`);--> statement-breakpoint
ALTER TABLE `uploads` ADD `width` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `height` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `picture` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `measure_at` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `picture_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `alt` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `focal_x` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `focal_y` integer;--> statement-breakpoint
CREATE INDEX `uploads_measure` ON `uploads` (`measure_at`) WHERE measure_at is not null and state = 'completed';
--> statement-breakpoint
-- Pictures from before are read in the background
UPDATE uploads SET measure_at = 0 WHERE lower(mime_type) IN ('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff');
