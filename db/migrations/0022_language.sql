ALTER TABLE `subscribers` ADD `language` text;--> statement-breakpoint
CREATE INDEX `subscribers_language` ON `subscribers` (`language`,`created_at`,`id`) WHERE language is not null;
