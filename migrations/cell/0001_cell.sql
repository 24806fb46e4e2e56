-- What the platform itself keeps in every cell.
create schema if not exists cell;

-- The first answer to a request that carried an Idempotency-Key, written in the transaction that it protects.
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

-- Events as they are written, in the transaction of what they tell. The sequencer moves committed rows to cell.events.
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

create table cell.event_counters (
  business_id text collate "C" not null,
  last_number bigint not null,
  constraint event_counters_pkey primary key (business_id)
);

-- The feed: numbered per business without gaps, in the order in which rows became visible.
-- Append-only, dropped by age: one partition a month, made ahead by the worker. The default one catches what has none.
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
create table cell.events_default partition of cell.events default;

-- Worker processes with jobs of this database. Each holds an advisory lock named by its pool id for as long as it lives;
-- one whose lock can be had is suspected, and if it still can be had a little later, dead: its jobs are taken back.
create table cell.workers (
  pool_id text collate "C" not null,
  started_at timestamptz not null default now(),
  suspected_at timestamptz,
  constraint workers_pkey primary key (pool_id)
);
