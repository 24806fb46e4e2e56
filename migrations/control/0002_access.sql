create schema access;

create table access.businesses (
  id text collate "C" not null,
  name text not null,
  slug text collate "C" not null,
  contact_email text,
  default_locale text not null,
  locales text[] not null,
  allowed_origins text[] not null,
  markets jsonb not null,
  stripe_account_id text collate "C",
  cell text collate "C" not null, -- the directory: which database holds what this business owns
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint businesses_pkey primary key (id),
  constraint businesses_slug_key unique (slug),
  constraint businesses_stripe_account_key unique (stripe_account_id)
);
create index businesses_cell on access.businesses (cell);

create table access.roles (
  business_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  permissions text[] not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint roles_pkey primary key (business_id, id),
  constraint roles_name_key unique (business_id, name),
  constraint roles_business_fkey foreign key (business_id) references access.businesses (id)
);

create table access.memberships (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  role_id text collate "C" not null,
  created_at timestamptz not null,
  constraint memberships_pkey primary key (business_id, user_id, role_id),
  constraint memberships_role_fkey foreign key (business_id, role_id) references access.roles (business_id, id)
);
create index memberships_role on access.memberships (business_id, role_id);
create index memberships_user on access.memberships (user_id, business_id); -- "where am I a member?"

-- Who has ever ordered, subscribed or written here. Written before the first such record: a superset is harmless.
create table access.customers (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint customers_pkey primary key (business_id, user_id)
);
create index customers_user on access.customers (user_id, business_id);

create table access.invitations (
  business_id text collate "C" not null,
  id text collate "C" not null,
  email text not null,
  role_id text collate "C" not null,
  invited_by text collate "C" not null,
  token_hash bytea, -- set by the worker that mails the token; the token itself is never stored
  expires_at timestamptz not null,
  accepted_at timestamptz,
  created_at timestamptz not null,
  constraint invitations_pkey primary key (business_id, id),
  constraint invitations_role_fkey foreign key (business_id, role_id) references access.roles (business_id, id) on delete cascade
);
create unique index invitations_token_hash_key on access.invitations (token_hash);
create index invitations_role on access.invitations (business_id, role_id);

-- Append-only, dropped by age: one partition a month, made ahead by the worker. The default one catches what has none.
create table access.audit_log (
  business_id text collate "C", -- null for what concerns an account, not a business
  id text collate "C" not null,
  action text not null,
  subject text collate "C" not null,
  actor_id text collate "C", -- null: the service itself or an operator
  actor_kind text not null,
  data jsonb not null,
  occurred_at timestamptz not null,
  constraint audit_log_pkey primary key (id, occurred_at)
) partition by range (occurred_at);
create index audit_log_business on access.audit_log (business_id, id);
create index audit_log_subject on access.audit_log (subject, id);
create table access.audit_log_default partition of access.audit_log default;
