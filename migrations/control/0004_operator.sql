-- Operators: their accounts, endpoints, log, metrics, and exports.
create schema if not exists webhooks; -- main has both control and a cell

-- Endpoints that receive events of all businesses.
create table webhooks.operator_endpoints (
  id text collate "C" not null,
  url text not null,
  types text[] not null,
  description text not null,
  secret bytea not null, -- sealed
  created_at timestamptz not null,
  constraint operator_endpoints_pkey primary key (id)
);

-- Users who may use the operator API. Added on the command line only.
create table accounts.operators (
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint operators_pkey primary key (user_id),
  constraint operators_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- Changes made by operators. Those that concern one business are also in its audit log. Append-only and partitioned as
-- access.audit_log.
create table access.operator_log (
  id text collate "C" not null,
  action text not null,
  subject text collate "C" not null,
  business_id text collate "C", -- null: none, or several
  actor_id text collate "C", -- null: the command line
  data jsonb not null,
  occurred_at timestamptz not null,
  constraint operator_log_pkey primary key (id, occurred_at)
) partition by range (occurred_at);
create index operator_log_business on access.operator_log (business_id, id);

-- Rows without a monthly partition.
create table access.operator_log_default partition of access.operator_log default;

-- Usage and health of each business, copied from its cell so that businesses of all cells can be sorted. Not in
-- access.businesses, whose rows every request reads. `requests`, `mails`, and `jobs` cover the last 24 hours.
create table access.business_figures (
  business_id text collate "C" not null,
  rows bigint not null default 0,
  media_bytes bigint not null default 0,
  requests bigint not null default 0,
  mails bigint not null default 0,
  jobs bigint not null default 0,
  dead_jobs integer not null default 0,
  stopped_sends integer not null default 0,
  checked_at timestamptz, -- last consistency check; null: never
  broken_rules integer not null default 0,
  measured_at timestamptz, -- null: never
  constraint business_figures_pkey primary key (business_id),
  constraint business_figures_business_fkey foreign key (business_id) references access.businesses (id) on delete cascade
);
create index business_figures_rows on access.business_figures (rows, business_id);
create index business_figures_media on access.business_figures (media_bytes, business_id);
create index business_figures_requests on access.business_figures (requests, business_id);
create index business_figures_mails on access.business_figures (mails, business_id);
create index business_figures_jobs on access.business_figures (jobs, business_id);
create index business_figures_troubled on access.business_figures (business_id)
  where dead_jobs > 0 or stopped_sends > 0 or broken_rules > 0;

-- Archives of businesses that operators requested. The archive is in the store below `private/exports/` until `expires_at`.
create table access.business_exports (
  business_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null default 'PENDING',
  has_files boolean not null,
  rows bigint not null default 0,
  bytes bigint,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  constraint business_exports_pkey primary key (business_id, id),
  constraint business_exports_status check (status in ('PENDING', 'RUNNING', 'READY', 'FAILED')),
  constraint business_exports_business foreign key (business_id) references access.businesses (id)
);
-- One export per business at a time.
create unique index business_exports_live on access.business_exports (business_id) where status in ('PENDING', 'RUNNING');
create index business_exports_expires_at on access.business_exports (expires_at);
