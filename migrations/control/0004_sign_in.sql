-- Everything that signing in needs.
alter table accounts.users
  add column password_hash text,
  add column phone_numbers text[] not null default '{}', -- as listed by the user; verified ones stand below
  add column addresses jsonb not null default '[]',
  add column onboarding_completed boolean not null default false,
  add column last_login_at timestamptz,
  add column suspended_at timestamptz;
create index users_unconfirmed on accounts.users (created_at) where confirmed_at is null and not is_guest;
create index users_guests on accounts.users (created_at) where is_guest;

-- A verified number belongs to one user.
create table accounts.verified_phones (
  number text collate "C" not null,
  user_id text collate "C" not null,
  verified_at timestamptz not null,
  constraint verified_phones_pkey primary key (number),
  constraint verified_phones_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index verified_phones_user on accounts.verified_phones (user_id);

-- The refresh token that is good now, and the one before it, which is good for a moment longer.
alter table accounts.sessions
  add column refresh_id text collate "C",
  add column previous_refresh_id text collate "C",
  add column rotated_at timestamptz,
  add column user_agent text,
  add column address text,
  add column sealed_provider_token bytea; -- for revoking at the identity provider
create index sessions_idle on accounts.sessions (last_used_at) where provider = 'GUEST' and revoked_at is null;

create index sessions_ended on accounts.sessions (revoked_at) where revoked_at is not null;

-- A guest who became a user: whatever names the guest means the user. No rows are rewritten.
create table accounts.guest_aliases (
  guest_id text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint guest_aliases_pkey primary key (guest_id)
);
create index guest_aliases_user on accounts.guest_aliases (user_id);

create table accounts.reset_tokens (
  token_hash bytea not null,
  user_id text collate "C" not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint reset_tokens_pkey primary key (token_hash),
  constraint reset_tokens_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index reset_tokens_user on accounts.reset_tokens (user_id);
create index reset_tokens_expiry on accounts.reset_tokens (expires_at);

create table accounts.phone_codes (
  user_id text collate "C" not null,
  number text collate "C" not null,
  code_hash bytea, -- set by the worker that sends the code
  tries integer not null default 0,
  expires_at timestamptz not null,
  constraint phone_codes_pkey primary key (user_id, number),
  constraint phone_codes_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index phone_codes_expiry on accounts.phone_codes (expires_at);

create table accounts.identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint identities_pkey primary key (issuer, subject),
  constraint identities_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index identities_user on accounts.identities (user_id);

-- One sign-in at the identity provider, from the address we hand out to the code that the client redeems.
create table accounts.oauth_flows (
  state_hash bytea not null,
  sealed_secrets bytea not null, -- nonce and PKCE verifier
  origin_url text not null,
  redirect_url text not null,
  guest_id text collate "C",
  code_hash bytea,
  user_id text collate "C",
  sealed_provider_token bytea,
  expires_at timestamptz not null,
  constraint oauth_flows_pkey primary key (state_hash),
  constraint oauth_flows_code_key unique (code_hash)
);
create index oauth_flows_expiry on accounts.oauth_flows (expires_at);

-- Limits on guessing; here, so that they hold across processes and restarts.
create table accounts.attempts (
  key text collate "C" not null,
  count integer not null,
  resets_at timestamptz not null,
  constraint attempts_pkey primary key (key)
);
create index attempts_resets_at on accounts.attempts (resets_at);

create table accounts.business_configs (
  user_id text collate "C" not null,
  business_id text collate "C" not null,
  settings jsonb not null,
  constraint business_configs_pkey primary key (user_id, business_id),
  constraint business_configs_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- Origins for links and redirects that the operator has approved besides ALLOWED_ORIGINS.
create table accounts.origins (
  origin text collate "C" not null,
  created_at timestamptz not null,
  constraint origins_pkey primary key (origin)
);
