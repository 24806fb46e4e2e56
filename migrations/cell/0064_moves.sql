-- Businesses that move between cells while they sell (docs/decisions/0064-move.md). A row is a business that is leaving this
-- cell, or coming. Triggers ask for it; they exist only while a business moves, and `src/platform/moves/triggers.ts` makes them.
--
-- Where it leaves: FOLLOWED, its changes are logged; CLOSED, nobody writes any more; MOVED, it lives elsewhere: jobs that
-- come late are handed on. Where it goes: COPIED, only the mover writes; OPENED, it lives here, and its changes are logged until its
-- rows were compared with the old ones; ARRIVED, that is over. The last row stays, so that a mover that was given up for dead finds that
-- its move is over, whenever it goes on.
create table cell.moves (
  business_id text collate "C" not null,
  move_id text collate "C" not null,
  state text collate "C" not null,
  changed_at timestamptz not null default now(),
  constraint moves_pkey primary key (business_id),
  constraint moves_state check (state in ('FOLLOWED', 'CLOSED', 'MOVED', 'COPIED', 'OPENED', 'ARRIVED'))
);

-- Rows that were changed while their business moves, by their keys. Without a unique key: two that change one row must not wait
-- for each other here.
create table cell.changed_rows (
  position bigint generated always as identity,
  business_id text collate "C" not null,
  table_name text collate "C" not null,
  key text[] not null,
  constraint changed_rows_pkey primary key (business_id, position)
);

-- Asked by the triggers, for each row that is written: whether the change is to be logged. Null: pass over the row. The lock is shared by
-- all who write; the mover takes it alone, and from then on nobody is in the middle of something. `who`: who is passed over
-- instead of refused when the business is not here: nobody, workers, or everybody.
create function cell.may_write(business text, who text) returns boolean language plpgsql volatile as $$
declare
  found_state text;
begin
  if current_setting('kontor.mover', true) = business then
    return false;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('kontor.move ' || business, 0));
  if current_setting('transaction_isolation') = 'read committed' then
    select state into found_state from cell.moves where business_id = business;
  else -- an old snapshot does not see that it was closed: this fails then, and is tried again
    select state into found_state from cell.moves where business_id = business for share;
  end if;
  if found_state in ('FOLLOWED', 'OPENED') then
    return true;
  end if;
  if found_state is null and current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'The business % began to move meanwhile', business using errcode = '40001'; -- its snapshot is older than the row
  end if;
  if found_state is null or found_state = 'ARRIVED' then
    return false;
  end if;
  if who = 'all' or (who = 'workers' and current_setting('application_name') = 'kontor worker') then
    return null;
  end if;
  raise exception 'The business % is moving to another cell', business using errcode = 'KM001';
end $$;
