-- Broadcasts, as in SQLite's migration 0008.
insert into subscriber_counts values ('mailable', 0), ('pending', 0), ('suppressed', 0);
create function is_mailable(subscribers) returns boolean language sql immutable as
  $$ select $1.state = 'active' and $1.suppressed_at is null and $1.pending_at is null $$;
create function is_pending(subscribers) returns boolean language sql immutable as
  $$ select $1.state = 'active' and $1.pending_at is not null $$;
-- Differences again (0001_rules.sql); of a missing row all three are null
create function count_mailable() returns trigger language plpgsql as $$ begin
  insert into subscriber_counts select state, (is_so is true)::int - (was_so is true)::int from (values
    ('mailable', is_mailable(old), is_mailable(new)),
    ('pending', is_pending(old), is_pending(new)),
    ('suppressed', old.suppressed_at is not null, new.suppressed_at is not null)
  ) as kind (state, was_so, is_so) where (is_so is true) <> (was_so is true);
  return null;
end $$;
create trigger subscribers_mailable after insert or delete or update of state, suppressed_at, pending_at on subscribers for each row execute function count_mailable();

-- A recipient must never become another person
create function forget_recipient() returns trigger language plpgsql as $$ begin
  update broadcast_recipients set subscriber_row = null where subscriber_row = old.row;
  return old;
end $$;
create trigger broadcast_recipients_person_gone before delete on subscribers for each row execute function forget_recipient();

-- The counters, whatever program writes: once a statement, because a batch changes many rows. Deleted rows stay counted:
-- they are deleted after 13 months
create function count_new_recipients() returns trigger language plpgsql as $$ begin
  update broadcasts total set claimed = total.claimed + change.claimed, accepted = total.accepted + change.accepted, failed = total.failed + change.failed, uncertain = total.uncertain + change.uncertain,
    simulated = total.simulated + change.simulated, skipped = total.skipped + change.skipped, delivered = total.delivered + change.delivered,
    bounced = total.bounced + change.bounced, soft_bounced = total.soft_bounced + change.soft_bounced, complained = total.complained + change.complained, unsubscribed = total.unsubscribed + change.unsubscribed
  from (
    select broadcast_row, count(*) claimed, sum(sign * (state = 1)::int) accepted, sum(sign * (state = 2)::int) failed,
      sum(sign * (state = 3)::int) uncertain, sum(sign * (state = 4)::int) simulated, sum(sign * (state = 5)::int) skipped,
      sum(sign * (delivered_at is not null)::int) delivered, sum(sign * (bounced_at is not null)::int) bounced,
      sum(sign * (soft_at is not null)::int) soft_bounced, sum(sign * (complained_at is not null)::int) complained,
      sum(sign * (unsubscribed_at is not null)::int) unsubscribed
    from (select 1 as sign, * from after) each_row group by broadcast_row
  ) as change
  where total.row = change.broadcast_row;
  return null;
end $$;
create trigger broadcast_recipients_count_insert after insert on broadcast_recipients referencing new table as after for each statement execute function count_new_recipients();
create function count_changed_recipients() returns trigger language plpgsql as $$ begin
  update broadcasts total set accepted = total.accepted + change.accepted, failed = total.failed + change.failed, uncertain = total.uncertain + change.uncertain,
    simulated = total.simulated + change.simulated, skipped = total.skipped + change.skipped, delivered = total.delivered + change.delivered,
    bounced = total.bounced + change.bounced, soft_bounced = total.soft_bounced + change.soft_bounced, complained = total.complained + change.complained, unsubscribed = total.unsubscribed + change.unsubscribed
  from (
    select broadcast_row, sum(sign * (state = 1)::int) accepted, sum(sign * (state = 2)::int) failed,
      sum(sign * (state = 3)::int) uncertain, sum(sign * (state = 4)::int) simulated, sum(sign * (state = 5)::int) skipped,
      sum(sign * (delivered_at is not null)::int) delivered, sum(sign * (bounced_at is not null)::int) bounced,
      sum(sign * (soft_at is not null)::int) soft_bounced, sum(sign * (complained_at is not null)::int) complained,
      sum(sign * (unsubscribed_at is not null)::int) unsubscribed
    from (select 1 as sign, * from after union all select -1, * from before) each_row group by broadcast_row
  ) as change
  where total.row = change.broadcast_row;
  return null;
end $$;
create trigger broadcast_recipients_count_update after update on broadcast_recipients referencing old table as before new table as after for each statement execute function count_changed_recipients();

create function note_files_of_broadcast() returns trigger language plpgsql as $$ begin
  delete from broadcast_files where broadcast_row = new.broadcast_row;
  insert into broadcast_files (file_id, broadcast_row)
    select files_in(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, '')), new.broadcast_row;
  return null;
end $$;
create trigger broadcast_letters_files after insert or update of content, letter, page on broadcast_letters for each row execute function note_files_of_broadcast();

-- What the archive shows
insert into versions (topic, version, changed_at) values ('broadcasts', 1, now_ms());
create trigger broadcasts_version_update after update of state, archive, slug, deleted_at on broadcasts for each row when (new.started_at is not null) execute function new_version('broadcasts');
create trigger broadcasts_version_delete after delete on broadcasts for each row when (old.started_at is not null) execute function new_version('broadcasts');
