create schema accounts;

create table accounts.users (
  id text collate "C" not null,
  name text not null default '',
  email text, -- as typed
  email_key text collate "C", -- as compared: lower case
  is_guest boolean not null default false,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint users_pkey primary key (id),
  constraint users_email_key unique (email_key)
);

-- One row a login. What an access or refresh token may do ends when this row is revoked.
create table accounts.sessions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  provider text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  revoked_at timestamptz,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index sessions_user on accounts.sessions (user_id, id);

create table accounts.api_keys (
  user_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  key_hash bytea not null, -- keyed hash: a stolen copy of the table opens nothing
  last4 text not null,
  business_id text collate "C", -- null: acts in every business of its user
  created_at timestamptz not null,
  constraint api_keys_pkey primary key (user_id, id),
  constraint api_keys_hash_key unique (key_hash),
  constraint api_keys_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- A key signs from active_from until the next one does; its public half keeps verifying.
create table accounts.signing_keys (
  kid text collate "C" not null,
  public_jwk text not null,
  sealed_private bytea not null,
  active_from timestamptz not null,
  created_at timestamptz not null,
  constraint signing_keys_pkey primary key (kid)
);
