CREATE TABLE `api_batches` (
	`key` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`results` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
