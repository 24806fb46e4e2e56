-- Outgoing webhooks: addresses of a business that are told what happens in it.
create schema if not exists webhooks;

create table webhooks.endpoints (
  business_id text collate "C" not null,
  id text collate "C" not null,
  url text not null,
  types text[] not null,
  description text not null,
  is_enabled boolean not null,
  disabled_reason text collate "C",
  disabled_at timestamptz,
  -- Sealed. The old one signs beside the new one until its time is up.
  secret bytea not null,
  old_secret bytea,
  old_secret_until timestamptz,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint endpoints_pkey primary key (business_id, id),
  constraint endpoints_disabled_check check ((disabled_reason is null) = is_enabled),
  constraint endpoints_reason_check check (disabled_reason in ('PERSON', 'GONE', 'FAILING'))
);

-- How far each endpoint is in the feed, and how it fares. Apart from the endpoint, for it changes with every few deliveries.
-- Those of the operator have one in each business.
create table webhooks.positions (
  business_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  -- Everything up to this number was delivered, did not concern it, or has a row in deliveries.
  number bigint not null,
  -- Failures since something was last delivered, and since when.
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  warned_at timestamptz,
  -- What is sent once more: everything after replay_number and before replay_before.
  replay_after bigint,
  replay_number bigint,
  replay_before bigint,
  replay_started_at timestamptz,
  constraint positions_pkey primary key (business_id, endpoint_id)
)
with (fillfactor = 70);

-- A business with endpoints. One worker has it at a time. due_at: when somebody has to look at it; for one that is held, when its
-- holder must have died; null: not before something happens. Nobody has to be told of it before quiet_until, for all of its
-- endpoints wait until then. is_changed: its holder has to read its endpoints anew.
create table webhooks.feeds (
  business_id text collate "C" not null,
  due_at timestamptz,
  quiet_until timestamptz,
  lease text collate "C",
  is_changed boolean not null default false,
  constraint feeds_pkey primary key (business_id)
)
with (fillfactor = 70);
create index feeds_due on webhooks.feeds (due_at) where due_at is not null;
create index feeds_changed on webhooks.feeds (lease) where is_changed;

-- Events that were not delivered at the first attempt. PENDING → DELIVERED, or FAILED.
create table webhooks.deliveries (
  business_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  number bigint not null,
  event_id text collate "C" not null,
  type text collate "C" not null,
  status text collate "C" not null,
  -- Attempts of this round. Sending it again begins a new one.
  attempts integer not null,
  begun_at timestamptz not null,
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint deliveries_pkey primary key (business_id, endpoint_id, number),
  constraint deliveries_status_check check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  constraint deliveries_next_check check ((next_at is not null) = (status = 'PENDING'))
);
create index deliveries_waiting on webhooks.deliveries (business_id, endpoint_id, next_at) where status = 'PENDING';
create index deliveries_by_status on webhooks.deliveries (business_id, endpoint_id, status, number);
create index deliveries_updated on webhooks.deliveries (updated_at);

create table webhooks.attempts (
  business_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  number bigint not null,
  id text collate "C" not null,
  at timestamptz not null,
  status integer,
  problem text collate "C",
  milliseconds integer not null,
  answer text not null,
  constraint attempts_pkey primary key (business_id, endpoint_id, number, id)
);
create index attempts_at on webhooks.attempts (at);
