ALTER TABLE `sequences` ADD `carries_to` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `sequence_people_held` ON `sequence_people` (`step_row`) WHERE state = 2;