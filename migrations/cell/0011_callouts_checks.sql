-- Cached callout responses, and consistency checks.
create schema callouts;

-- Callout responses, cached by the hash of the request. `answer` is null if the callout failed and the fallback applies.
-- Unlogged: they can be requested again.
create unlogged table callouts.answers (
  business_id text collate "C" not null,
  input_hash bytea not null,
  answer json,
  expires_at timestamptz not null,
  constraint answers_pkey primary key (business_id, input_hash)
);
create index answers_by_end on callouts.answers (expires_at);

create schema checks;

-- The last completed check of each business. `last_number` is the latest event when the check began. `rules` are all rules of the
-- check, including those that could not be checked (`unchecked`). A row may have nothing but `asked_at`, the last manual request.
create table checks.businesses (
  business_id text collate "C" not null,
  started_at timestamptz,
  finished_at timestamptz,
  last_number bigint not null default 0,
  unchecked text[] not null default '{}',
  asked_at timestamptz,
  rules text[] not null default '{}',
  constraint businesses_pkey primary key (business_id)
);

-- Rules that failed in the last check. Deleted when the rule passes again.
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

-- Checks that are running or waiting, one per business. `done` are the completed rules, `found` the failures so far. `after` is
-- the progress of `task`, the rules being checked; a version with other rules starts them over.
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
  task text,
  constraint runs_pkey primary key (business_id)
);

-- Nightly checks of the whole cell. `after` is the last business processed, or null once all are. `large` counts businesses that
-- got a run of their own.
create table checks.nights (
  started_at timestamptz not null,
  finished_at timestamptz,
  after text collate "C",
  businesses integer not null default 0,
  large integer not null default 0,
  busy_ms bigint not null default 0,
  constraint nights_pkey primary key (started_at)
);
-- One nightly check at a time.
create unique index nights_open on checks.nights ((true)) where finished_at is null;

-- Lease of the one worker that runs checks in the cell.
create table checks.turns (
  is_only boolean not null default true,
  worker text collate "C" not null,
  until timestamptz not null,
  constraint turns_pkey primary key (is_only),
  constraint turns_only_check check (is_only)
);
