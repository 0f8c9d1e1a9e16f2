-- Days, as in SQLite's migration 0013. Active subscribers by differences, as their counts (0001_rules.sql).
alter table subscriber_days drop constraint subscriber_days_pkey;
create index subscriber_days_day on subscriber_days (day, source);
create function count_subscriber_days() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then
    insert into subscriber_days (day, source, joined, imported)
      values (new.created_at / 86400000, coalesce(new.source, ''), 1, (new.consent_note is not null)::int);
    if new.consent_note is not null then
      insert into subscriber_days (day, source, added) values (new.updated_at / 86400000, coalesce(new.source, ''), 1);
    end if;
  elsif tg_op = 'UPDATE' then
    insert into subscriber_days (day, source, joined, unsubscribed) values
      (new.updated_at / 86400000, coalesce(new.source, ''), (new.state = 'active')::int, (new.state <> 'active')::int);
  else
    insert into subscriber_days (day, source, deleted) values
      (coalesce((select max(created_at) from subscriber_events where subscriber_id = old.id), now_ms()) / 86400000, coalesce(old.source, ''), 1);
  end if;
  return null;
end $$;
create trigger subscriber_days_insert after insert on subscribers for each row when (new.state = 'active') execute function count_subscriber_days();
create trigger subscriber_days_update after update of state on subscribers for each row when (new.state <> old.state) execute function count_subscriber_days();
create trigger subscriber_days_delete after delete on subscribers for each row when (old.state = 'active') execute function count_subscriber_days();

create function forget_daily_counts() returns trigger language plpgsql as $$ begin
  delete from daily_counts where kind = any (tg_argv) and subject_id = old.id;
  return null;
end $$;
create trigger daily_counts_post after delete on posts for each row execute function forget_daily_counts('view');
create trigger daily_counts_project after delete on projects for each row execute function forget_daily_counts('click');
create trigger daily_counts_broadcast after delete on broadcasts for each row execute function forget_daily_counts('page', 'unsubscribe');
create function count_broadcast_unsubscribe() returns trigger language plpgsql as $$ begin
  insert into daily_counts as total (kind, subject_id, day, count)
    select 'unsubscribe', id, new.unsubscribed_at / 86400000, 1 from broadcasts where row = new.broadcast_row
    on conflict (kind, subject_id, day) do update set count = total.count + 1;
  return null;
end $$;
create trigger broadcast_recipients_unsubscribed after update of unsubscribed_at on broadcast_recipients for each row
  when (new.unsubscribed_at is not null and old.unsubscribed_at is null) execute function count_broadcast_unsubscribe();
