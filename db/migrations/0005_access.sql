CREATE TABLE `access_rules` (
	`name` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `one_time_tokens` ADD `made_by` text;--> statement-breakpoint
-- Of the invitations that wait, the audit log knows who made them. Those of whoever is no owner any more are withdrawn.
DELETE FROM `one_time_tokens` WHERE `purpose` = 'invite' AND (
	SELECT `actor` FROM `audit_events`
	WHERE `action` = 'manager.invite' AND `target` = `payload` ->> 'email' ORDER BY `audit_events`.`created_at` DESC, `id` DESC LIMIT 1
) NOT IN (SELECT 'cli' UNION ALL SELECT `email` FROM `managers` WHERE `role` = 'owner');--> statement-breakpoint
UPDATE `one_time_tokens` SET `made_by` = (SELECT `id` FROM `managers` WHERE `email` = (
	SELECT `actor` FROM `audit_events`
	WHERE `action` = 'manager.invite' AND `target` = `payload` ->> 'email' ORDER BY `audit_events`.`created_at` DESC, `id` DESC LIMIT 1
)) WHERE `purpose` = 'invite';
