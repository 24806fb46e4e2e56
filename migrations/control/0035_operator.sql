-- Operators of the deployment: people who see and change what concerns every business. Added on the command line only.
create table accounts.operators (
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint operators_pkey primary key (user_id),
  constraint operators_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- What operators have changed. What concerns a business is in its own log as well. Append-only, dropped by age, as access.audit_log is.
create table access.operator_log (
  id text collate "C" not null,
  action text not null,
  subject text collate "C" not null,
  business_id text collate "C", -- null for what concerns no business, or several
  actor_id text collate "C", -- null: on the command line
  data jsonb not null,
  occurred_at timestamptz not null,
  constraint operator_log_pkey primary key (id, occurred_at)
) partition by range (occurred_at);
create index operator_log_business on access.operator_log (business_id, id);
create table access.operator_log_default partition of access.operator_log default;

alter table access.businesses
  add column suspended_reason text, -- said by the operator
  add column limits jsonb; -- null: those of the service

-- What each business has and uses, as its cell has told lately: copies, so that businesses of all cells can be put in order. Apart from
-- access.businesses, whose rows are read with every request and written when somebody changes settings.
create table access.business_figures (
  business_id text collate "C" not null,
  rows bigint not null default 0,
  media_bytes bigint not null default 0,
  requests bigint not null default 0, -- these three: of the last 24 hours
  mails bigint not null default 0,
  jobs bigint not null default 0,
  dead_jobs integer not null default 0,
  stopped_sends integer not null default 0,
  checked_at timestamptz, -- when its books were last checked; null: not yet
  broken_rules integer not null default 0,
  measured_at timestamptz, -- null: not yet
  constraint business_figures_pkey primary key (business_id),
  constraint business_figures_business_fkey foreign key (business_id) references access.businesses (id) on delete cascade
);
create index business_figures_rows on access.business_figures (rows, business_id);
create index business_figures_media on access.business_figures (media_bytes, business_id);
create index business_figures_requests on access.business_figures (requests, business_id);
create index business_figures_mails on access.business_figures (mails, business_id);
create index business_figures_jobs on access.business_figures (jobs, business_id);
create index business_figures_troubled on access.business_figures (business_id) where dead_jobs > 0 or stopped_sends > 0 or broken_rules > 0;
insert into access.business_figures (business_id) select id from access.businesses;
