-- Platform tables of a cell: idempotency records, the event feed, usage, and moves between cells.

-- The first response to a request with an Idempotency-Key, written in the transaction of that request. `caller` is a user id.
create table cell.idempotency_keys (
  business_id text collate "C" not null,
  caller text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  status integer not null,
  body text not null,
  created_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (business_id, caller, key)
);
create index idempotency_keys_created_at on cell.idempotency_keys (created_at);

-- New events, written in the transaction of the change. The sequencer moves committed rows to cell.events.
create table cell.event_outbox (
  position bigint generated always as identity,
  business_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  subject text collate "C" not null,
  actor_id text collate "C",
  actor_kind text not null,
  data jsonb not null,
  occurred_at timestamptz not null,
  constraint event_outbox_pkey primary key (position)
);

-- The number of the latest event of each business.
create table cell.event_counters (
  business_id text collate "C" not null,
  last_number bigint not null,
  constraint event_counters_pkey primary key (business_id)
);

-- The event feed of each business, numbered without gaps in the order in which events became visible. Append-only. The worker
-- creates monthly partitions ahead of time and drops old ones.
create table cell.events (
  business_id text collate "C" not null,
  number bigint not null,
  id text collate "C" not null,
  type text not null,
  subject text collate "C" not null,
  actor_id text collate "C",
  actor_kind text not null,
  data jsonb not null,
  occurred_at timestamptz not null,
  sequenced_at timestamptz not null,
  constraint events_pkey primary key (business_id, number, sequenced_at)
) partition by range (sequenced_at);
-- Events of one record.
create index events_by_subject on cell.events (business_id, subject, number);

-- Rows without a monthly partition.
create table cell.events_default partition of cell.events default;

-- Running worker processes. Each one holds an advisory lock named after its pool id. If the lock is free, the worker is
-- suspected; if it is still free a little later, the worker is dead and its jobs are released.
create table cell.workers (
  pool_id text collate "C" not null,
  started_at timestamptz not null default now(),
  suspected_at timestamptz,
  constraint workers_pkey primary key (pool_id)
);

-- Queue of subjects that projections have to process, by topic. The sequencer adds the subjects of new events; the follower of
-- the topic removes them.
create table cell.followed (
  topic text collate "C" not null,
  position bigint generated always as identity,
  business_id text collate "C" not null,
  subject text collate "C" not null,
  -- First event to process, from which a reader can tell how far the projection has come. Null: added without an event.
  number bigint,
  constraint followed_pkey primary key (topic, position)
);
-- Pending subjects of one business, so that committed stock can be read exactly instead of as of the last run.
create index followed_by_business on cell.followed (topic, business_id);

-- Usage of each business in slices of 10 minutes that begin at `since`, kept for two days. Processes count in memory and flush
-- every few seconds.
create table cell.usage (
  business_id text collate "C" not null,
  since timestamptz not null,
  requests bigint not null default 0,
  mails bigint not null default 0,
  jobs bigint not null default 0,
  constraint usage_pkey primary key (business_id, since)
) with (fillfactor = 70);
create index usage_by_time on cell.usage (since);

-- Usage of each business by day (UTC), kept for 400 days.
create table cell.usage_days (
  business_id text collate "C" not null,
  day timestamptz not null,
  requests bigint not null default 0,
  mails bigint not null default 0,
  jobs bigint not null default 0,
  rows bigint, -- estimated nightly; null: not estimated that day
  media_bytes bigint,
  constraint usage_days_pkey primary key (business_id, day)
);
create index usage_days_by_day on cell.usage_days (day);

-- The cell and the deployment that this database belongs to, recorded by its first migration. Others are refused access.
create table cell.identity (
  is_only boolean not null default true,
  cell text collate "C" not null,
  control_id uuid not null,
  noted_at timestamptz not null default now(),
  constraint identity_pkey primary key (is_only),
  constraint identity_one check (is_only)
);

-- Businesses that are moving, or have moved, between cells (docs/decisions/0064-move.md). Triggers that exist only during a move
-- enforce the state (src/platform/moves/triggers.ts). In the old cell: FOLLOWED, changes are logged; CLOSED, writes are rejected;
-- MOVED, the business is elsewhere and late jobs are forwarded. In the new cell: COPIED, only the mover writes; OPENED, the
-- business is here, and changes are logged until its rows have been compared with the old ones; ARRIVED, the move is complete.
-- The row stays, so that a mover that was presumed dead and resumes can tell that its move is over.
create table cell.moves (
  business_id text collate "C" not null,
  move_id text collate "C" not null,
  state text collate "C" not null,
  changed_at timestamptz not null default now(),
  constraint moves_pkey primary key (business_id),
  constraint moves_state check (state in ('FOLLOWED', 'CLOSED', 'MOVED', 'COPIED', 'OPENED', 'ARRIVED'))
);

-- Keys of rows changed during a move. There is no unique constraint on them, so that concurrent changes of one row do not block
-- each other here.
create table cell.changed_rows (
  position bigint generated always as identity,
  business_id text collate "C" not null,
  table_name text collate "C" not null,
  key text[] not null,
  constraint changed_rows_pkey primary key (business_id, position)
);

-- Jobs of a moving business, taken out of this cell's queue in the transaction that closes it, so that no job is in both queues.
-- `id` is the job's id in the queue. Deleted once the business is in the other cell.
create table cell.moving_jobs (
  business_id text collate "C" not null,
  id bigint not null,
  job json not null,
  constraint moving_jobs_pkey primary key (business_id, id)
);

-- Subjects that a follower failed to process, for example an order with an invalid line. They are removed from cell.followed, so
-- that they do not block others, and retried at `retry_at`.
create table cell.skipped_subjects (
  business_id text collate "C" not null,
  topic text collate "C" not null,
  subject text collate "C" not null,
  attempts integer not null,
  retry_at timestamptz not null,
  constraint skipped_subjects_pkey primary key (business_id, topic, subject)
);
create index skipped_subjects_due on cell.skipped_subjects (topic, retry_at);

-- Called by the triggers of a move for each written row. Returns whether to log the change, or null to skip the row. If the
-- business is not here, it raises KM001, unless `who` says to skip the rows of workers or of all. Writers share the lock; the
-- mover takes it exclusively, so that no writing transaction is left when it closes the business.
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
