-- Businesses, their roles, members, invitations, and customers, and the audit log.
create schema access;

-- A business with its settings, which API processes cache. A business with `delete_at` is about to be deleted: its rows and files
-- may be removed from then on. A business that is being imported has a `delete_at` as well, so that an abandoned import is
-- cleaned up.
create table access.businesses (
  id text collate "C" not null,
  name text not null,
  slug text collate "C" not null,
  contact_email text,
  default_locale text not null,
  locales text[] not null,
  allowed_origins text[] not null,
  markets jsonb not null,
  cell text collate "C" not null, -- the cell with all other data of the business
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Set by an operator; blocks all API access to the business.
  suspended_at timestamptz,
  -- Account at the payment provider that receives the payments.
  payment_account text collate "C",
  -- URL of an order in the shop, with `{orderId}`, for links in emails to customers.
  order_url text,
  -- IANA name.
  time_zone text not null default 'UTC',
  -- Whether products and content are public, and whether the public sees stock quantities.
  storefront jsonb not null default '{"isPublic": false, "showQuantity": false}',
  -- A media item: an external URL, or a copy of the data of a file in the business's cell.
  logo json,
  -- Roles apply only to sessions and API keys that have passed a second factor.
  require_second_factor boolean not null default false,
  -- How many days after an order the business keeps personal data of a customer who deletes their account.
  keep_person_days integer not null default 0,
  -- Callouts by extension point: {<point>: {url, timeoutMs, onFailure, isEnabled, sealedSecret, createdAt, updatedAt}}, or null.
  -- Part of the business row, so that a quote of a business without callouts needs no further query.
  callouts json,
  suspended_reason text, -- the operator's note
  limits jsonb, -- overrides of the default limits
  delete_at timestamptz,
  delete_asked_at timestamptz,
  import_of text collate "C", -- SHA-256 of the archive's manifest, while the import is running
  held_until timestamptz, -- writes wait until then, during the switch to another cell
  moved_at timestamptz, -- last move to another cell; null: never moved
  -- `import_of` of the completed import: running the same import again is a no-op.
  imported_from text collate "C",
  constraint businesses_pkey primary key (id),
  constraint businesses_slug_key unique (slug),
  constraint businesses_payment_account_key unique (payment_account)
);
create index businesses_cell on access.businesses (cell);
create index businesses_by_time on access.businesses (created_at, id);
-- Search by name.
create index businesses_by_words on access.businesses using gin (to_tsvector('simple'::regconfig, name));
create index businesses_suspended on access.businesses (created_at, id) where suspended_at is not null;
create index businesses_delete_at on access.businesses (delete_at) where delete_at is not null;

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
  -- Granted by the sign-in provider of the business, and revoked by a later login without the role. Roles that team members
  -- granted stay.
  from_provider boolean not null default false,
  constraint memberships_pkey primary key (business_id, user_id, role_id),
  constraint memberships_role_fkey foreign key (business_id, role_id) references access.roles (business_id, id)
);
create index memberships_role on access.memberships (business_id, role_id);
-- A user's businesses.
create index memberships_user on access.memberships (user_id, business_id);

-- Customers of a business, by user id. Written before the customer's first order, subscription, or entry, so a row may be
-- superfluous, but none is ever missing. `came_at` is when the customer first acted in the shop, `named_at` when the business
-- first created an order for them. A row with neither only protects a guest from cleanup while such an order is being written;
-- the business does not see it.
create table access.customers (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz not null,
  came_at timestamptz default now(),
  named_at timestamptz,
  constraint customers_pkey primary key (business_id, user_id)
);
create index customers_user on access.customers (user_id, business_id);

-- An invitation to an email address, or the offer of a role to an existing account (`user_id`).
create table access.invitations (
  business_id text collate "C" not null,
  id text collate "C" not null,
  email text,
  role_id text collate "C" not null,
  invited_by text collate "C" not null,
  -- Set by the worker that emails the token; the token itself is not stored. Null until then, and for offers to accounts.
  token_hash bytea,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  created_at timestamptz not null,
  user_id text collate "C",
  -- Created by the import of a business. The role counts although `invited_by` is no member who could grant it.
  by_operator boolean not null default false,
  constraint invitations_pkey primary key (business_id, id),
  constraint invitations_addressee check (num_nonnulls(email, user_id) = 1),
  constraint invitations_role_fkey foreign key (business_id, role_id) references access.roles (business_id, id) on delete cascade
);
create unique index invitations_token_hash_key on access.invitations (token_hash);
create index invitations_role on access.invitations (business_id, role_id);
create index invitations_user on access.invitations (user_id, business_id) where user_id is not null;
-- Finds invitations to the email address of a new account.
create index invitations_email on access.invitations (lower(email), business_id);

-- Append-only. The worker creates monthly partitions ahead of time and drops old ones.
create table access.audit_log (
  business_id text collate "C", -- null: concerns an account
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

-- Rows without a monthly partition.
create table access.audit_log_default partition of access.audit_log default;

-- Events of businesses that occur in control, written in the transaction of the change. A job copies them, under the same id, to
-- the outbox of the business's cell.
create table access.event_outbox (
  business_id text collate "C" not null,
  position bigint generated always as identity,
  id text collate "C" not null,
  type text not null,
  subject text collate "C" not null,
  actor_id text collate "C",
  actor_kind text not null,
  data jsonb not null,
  occurred_at timestamptz not null,
  constraint event_outbox_pkey primary key (business_id, position)
);
