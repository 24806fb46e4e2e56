-- Webhook endpoints, their positions in the event feed, deliveries, and attempts.
create schema if not exists webhooks; -- main has both control and a cell

-- Secrets are sealed. After a rotation, requests are also signed with `old_secret` until `old_secret_until`.
create table webhooks.endpoints (
  business_id text collate "C" not null,
  id text collate "C" not null,
  url text not null,
  types text[] not null,
  description text not null,
  is_enabled boolean not null,
  disabled_reason text collate "C",
  disabled_at timestamptz,
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

-- Progress of an endpoint in the feed, and its health. Separate from the endpoint, because it changes every few deliveries.
-- Endpoints of operators have a row in each business. `failures` and `failing_since`: since the last successful delivery. A
-- replay resends the events after `replay_number` and before `replay_before`; it began at `replay_after`.
create table webhooks.positions (
  business_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  -- All events up to this number have been delivered, do not match the endpoint, or have a row in webhooks.deliveries.
  number bigint not null,
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  warned_at timestamptz,
  replay_after bigint,
  replay_number bigint,
  replay_before bigint,
  replay_started_at timestamptz,
  constraint positions_pkey primary key (business_id, endpoint_id)
) with (fillfactor = 70);

-- Businesses with endpoints. One worker at a time has the `lease`. `due_at`: when there is work; with a lease, when the lease
-- expires; null: not before the next event. Until `quiet_until`, new events do not make it due, because all endpoints are paused.
-- `is_changed`: the worker has to reload the endpoints.
create table webhooks.feeds (
  business_id text collate "C" not null,
  due_at timestamptz,
  quiet_until timestamptz,
  lease text collate "C",
  is_changed boolean not null default false,
  constraint feeds_pkey primary key (business_id)
) with (fillfactor = 70);
create index feeds_due on webhooks.feeds (due_at) where due_at is not null;
create index feeds_changed on webhooks.feeds (lease) where is_changed;

-- Events whose first attempt failed. PENDING → DELIVERED or FAILED. `attempts` counts since `begun_at`; a manual retry starts
-- over, with `next_at` at infinity, so that it comes after all others.
create table webhooks.deliveries (
  business_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  number bigint not null,
  event_id text collate "C" not null,
  type text collate "C" not null,
  status text collate "C" not null,
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

-- Requests to endpoints. `status` is the HTTP status, or null without a response. `answer` is the start of the response body.
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
