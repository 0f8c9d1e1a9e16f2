alter table "broadcasts" add column "reviewed_answered" bigint not null default 0;
alter table "broadcasts" add column "refused_bounces" bigint not null default 0;
alter table "subscriber_days" add column "suppressed" bigint not null default 0;
-- As in SQLite's migration 0018
create or replace function count_new_recipients() returns trigger language plpgsql as $$ begin
  update broadcasts total set claimed = total.claimed + change.claimed,
    accepted = total.accepted + change.accepted,
    failed = total.failed + change.failed,
    uncertain = total.uncertain + change.uncertain,
    simulated = total.simulated + change.simulated,
    skipped = total.skipped + change.skipped,
    delivered = total.delivered + change.delivered,
    bounced = total.bounced + change.bounced,
    soft_bounced = total.soft_bounced + change.soft_bounced,
    refused_bounces = total.refused_bounces + change.refused_bounces,
    complained = total.complained + change.complained,
    unsubscribed = total.unsubscribed + change.unsubscribed
  from (
    select broadcast_row, count(*) claimed,
      sum(sign * (state = 1)::int) accepted,
      sum(sign * (state = 2)::int) failed,
      sum(sign * (state = 3)::int) uncertain,
      sum(sign * (state = 4)::int) simulated,
      sum(sign * (state = 5)::int) skipped,
      sum(sign * (state = 1 and (complained_at is not null or bounced_at is null and delivered_at is not null))::int) delivered,
      sum(sign * (state = 1 and bounced_at is not null and complained_at is null)::int) bounced,
      sum(sign * (state = 1 and soft_at is not null and delivered_at is null and bounced_at is null and complained_at is null)::int) soft_bounced,
      sum(sign * (state = 2 and bounced_at is not null)::int) refused_bounces,
      sum(sign * (complained_at is not null)::int) complained,
      sum(sign * (unsubscribed_at is not null)::int) unsubscribed
    from (select 1 as sign, * from after) each_row group by broadcast_row
  ) as change
  where total.row = change.broadcast_row;
  return null;
end $$;
create or replace function count_changed_recipients() returns trigger language plpgsql as $$ begin
  update broadcasts total set accepted = total.accepted + change.accepted,
    failed = total.failed + change.failed,
    uncertain = total.uncertain + change.uncertain,
    simulated = total.simulated + change.simulated,
    skipped = total.skipped + change.skipped,
    delivered = total.delivered + change.delivered,
    bounced = total.bounced + change.bounced,
    soft_bounced = total.soft_bounced + change.soft_bounced,
    refused_bounces = total.refused_bounces + change.refused_bounces,
    complained = total.complained + change.complained,
    unsubscribed = total.unsubscribed + change.unsubscribed
  from (
    select broadcast_row, sum(sign * (state = 1)::int) accepted,
      sum(sign * (state = 2)::int) failed,
      sum(sign * (state = 3)::int) uncertain,
      sum(sign * (state = 4)::int) simulated,
      sum(sign * (state = 5)::int) skipped,
      sum(sign * (state = 1 and (complained_at is not null or bounced_at is null and delivered_at is not null))::int) delivered,
      sum(sign * (state = 1 and bounced_at is not null and complained_at is null)::int) bounced,
      sum(sign * (state = 1 and soft_at is not null and delivered_at is null and bounced_at is null and complained_at is null)::int) soft_bounced,
      sum(sign * (state = 2 and bounced_at is not null)::int) refused_bounces,
      sum(sign * (complained_at is not null)::int) complained,
      sum(sign * (unsubscribed_at is not null)::int) unsubscribed
    from (select 1 as sign, * from after union all select -1, * from before) each_row group by broadcast_row
  ) as change
  where total.row = change.broadcast_row;
  return null;
end $$;
update broadcasts total set delivered = sums.delivered, bounced = sums.bounced, soft_bounced = sums.soft_bounced, refused_bounces = sums.refused_bounces
from (
  select broadcast_row, sum((state = 1 and (complained_at is not null or bounced_at is null and delivered_at is not null))::int) delivered, sum((state = 1 and bounced_at is not null and complained_at is null)::int) bounced, sum((state = 1 and soft_at is not null and delivered_at is null and bounced_at is null and complained_at is null)::int) soft_bounced, sum((state = 2 and bounced_at is not null)::int) refused_bounces
  from broadcast_recipients group by broadcast_row
) as sums
where sums.broadcast_row = total.row and total.detail_gone_at is null;

create or replace function is_pending(subscribers) returns boolean language sql immutable as
  $$ select $1.state = 'active' and $1.suppressed_at is null and $1.pending_at is not null $$;
create function is_suppressed(subscribers) returns boolean language sql immutable as
  $$ select $1.state = 'active' and $1.suppressed_at is not null $$;
create or replace function count_mailable() returns trigger language plpgsql as $$ begin
  insert into subscriber_counts select state, (is_so is true)::int - (was_so is true)::int from (values
    ('mailable', is_mailable(old), is_mailable(new)),
    ('pending', is_pending(old), is_pending(new)),
    ('suppressed', is_suppressed(old), is_suppressed(new))
  ) as kind (state, was_so, is_so) where (is_so is true) <> (was_so is true);
  return null;
end $$;
delete from subscriber_counts where state in ('pending', 'suppressed');
insert into subscriber_counts select 'pending', count(*) from subscribers where is_pending(subscribers);
insert into subscriber_counts select 'suppressed', count(*) from subscribers where is_suppressed(subscribers);

create or replace function count_subscriber_days() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then
    insert into subscriber_days (day, source, joined, imported)
      values (new.created_at / 86400000, coalesce(new.source, ''), 1, (new.consent_note is not null)::int);
    if new.consent_note is not null then
      insert into subscriber_days (day, source, added) values (new.updated_at / 86400000, coalesce(new.source, ''), 1);
    end if;
  elsif tg_op = 'UPDATE' then
    insert into subscriber_days (day, source, joined, unsubscribed, suppressed) values (
      new.updated_at / 86400000, coalesce(new.source, ''),
      (is_mailable(new) and (old.state <> 'active' or old.pending_at is not null))::int,
      (not is_mailable(new) and (new.state <> 'active' or new.suppressed_at is null))::int,
      is_suppressed(new)::int - (is_mailable(new) and old.state = 'active' and old.pending_at is null)::int
    );
  else
    insert into subscriber_days (day, source, deleted) values
      (coalesce((select max(created_at) from subscriber_events where subscriber_id = old.id), now_ms()) / 86400000, coalesce(old.source, ''), 1);
  end if;
  return null;
end $$;
create or replace trigger subscriber_days_insert after insert on subscribers for each row when (is_mailable(new)) execute function count_subscriber_days();
create or replace trigger subscriber_days_update after update of state, suppressed_at, pending_at on subscribers for each row when (is_mailable(new) <> is_mailable(old)) execute function count_subscriber_days();
create or replace trigger subscriber_days_delete after delete on subscribers for each row when (is_mailable(old)) execute function count_subscriber_days();
insert into subscriber_days (day, source, suppressed)
  select suppressed_at / 86400000, coalesce(source, ''), count(*) from subscribers where is_suppressed(subscribers) group by 1, 2;
insert into subscriber_days (day, source, joined)
  select case when unsubscribed_at is null then created_at else pending_at end / 86400000, coalesce(source, ''), -count(*)
  from subscribers where is_pending(subscribers) group by 1, 2;
