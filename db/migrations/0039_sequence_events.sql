ALTER TABLE `sequence_people` ADD `is_end_told` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- By hand: webhooks are not told of what was over before
UPDATE `sequence_people` SET `is_end_told` = 1 WHERE state >= 3;--> statement-breakpoint
CREATE INDEX `sequence_people_ended` ON `sequence_people` (`row`) WHERE state >= 3 and is_end_told = 0;