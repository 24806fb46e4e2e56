-- Checks of the books of each business, by the rules of every module (invariants.sql).
create schema checks;

-- The last check of each business that ended. `last_number`: where its feed stood when the check began. `unchecked`: rules that took
-- too long. `asked_at`: when a person last asked for one; a row may be here for that alone.
create table checks.businesses (
  business_id text collate "C" not null,
  started_at timestamptz,
  finished_at timestamptz,
  last_number bigint not null default 0,
  unchecked text[] not null default '{}',
  asked_at timestamptz,
  constraint businesses_pkey primary key (business_id)
);

-- Rules that did not hold at the last check. A row goes when its rule holds again.
create table checks.broken (
  business_id text collate "C" not null,
  rule text collate "C" not null,
  count bigint not null,
  examples json not null,
  since timestamptz not null,
  mailed_at timestamptz,
  constraint broken_pkey primary key (business_id, rule)
);
create index broken_to_mail on checks.broken (since) where mailed_at is null;

-- Checks under way or waiting, one of a business at a time. `done`: rules that are through. `after`: how far the pieces of the next
-- rules are. `found`: what did not hold so far.
create table checks.runs (
  business_id text collate "C" not null,
  id text collate "C" not null,
  is_nightly boolean not null,
  created_at timestamptz not null,
  started_at timestamptz,
  last_number bigint not null default 0,
  done text[] not null default '{}',
  after text collate "C",
  rows bigint not null default 0,
  found json not null default '{}',
  unchecked text[] not null default '{}',
  constraint runs_pkey primary key (business_id)
);

-- Nightly checks of the whole cell. `after`: the last business that was looked at; null once all were.
create table checks.nights (
  started_at timestamptz not null,
  finished_at timestamptz,
  after text collate "C",
  businesses integer not null default 0,
  large integer not null default 0,
  busy_ms bigint not null default 0,
  constraint nights_pkey primary key (started_at)
);
create unique index nights_open on checks.nights ((true)) where finished_at is null;

-- Whose turn it is to check: one worker of a cell at a time.
create table checks.turns (
  is_only boolean not null default true,
  worker text collate "C" not null,
  until timestamptz not null,
  constraint turns_pkey primary key (is_only),
  constraint turns_only_check check (is_only)
);
