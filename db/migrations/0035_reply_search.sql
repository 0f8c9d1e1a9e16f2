ALTER TABLE `message_entries` ADD `folded` text DEFAULT '' NOT NULL;
--> statement-breakpoint
-- By hand: what was written before is found in the letters a to z ignoring case, in others as it was typed
UPDATE `message_entries` SET `folded` = lower(concat_ws(char(0xfdd0), `name`, `email`, `text`));
