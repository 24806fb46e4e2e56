-- Accounts: users, sessions, API keys, and sign-in.
create schema accounts;

create table accounts.users (
  id text collate "C" not null,
  name text not null default '',
  email text, -- as entered
  email_key text collate "C", -- lower case, for login and uniqueness
  is_guest boolean not null default false,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  password_hash text,
  phone_numbers text[] not null default '{}', -- as listed by the user, verified or not
  addresses jsonb not null default '[]',
  onboarding_completed boolean not null default false,
  last_login_at timestamptz,
  suspended_at timestamptz,
  -- The business that created this guest for a manual order. Name and email come from the business and are unverified, so
  -- `email_key` stays null.
  guest_of text collate "C",
  constraint users_pkey primary key (id),
  constraint users_email_key unique (email_key)
);
create index users_unconfirmed on accounts.users (created_at) where confirmed_at is null and not is_guest;
create index users_guests on accounts.users (created_at) where is_guest;
create index users_guest_of on accounts.users (guest_of, id) where guest_of is not null;

-- A login. Its access and refresh tokens are valid until `revoked_at`. `refresh_id` is the current refresh token; after a
-- rotation, `previous_refresh_id` stays valid for a moment, for concurrent requests. `proven_at` and `proven_with` describe the
-- last proof of identity. `second_factor_at` is the last second factor, or null if the session has passed none.
create table accounts.sessions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  provider text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  revoked_at timestamptz,
  refresh_id text collate "C",
  previous_refresh_id text collate "C",
  rotated_at timestamptz,
  user_agent text,
  address text,
  sealed_provider_token bytea, -- to revoke at the identity provider
  -- Absolute expiry of dashboard and staff sessions. Null: none.
  ends_at timestamptz,
  proven_at timestamptz,
  proven_with text,
  second_factor_at timestamptz,
  staff_of text collate "C", -- business whose sign-in provider started the session
  provider_session text, -- the provider's `sid`
  -- PASSWORD, TOTP, PASSKEY, or RECOVERY_CODE: the last proof of identity that did not come from a provider. While null, a
  -- session of `staff_of` is limited to that business.
  confirmed_with text,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index sessions_user on accounts.sessions (user_id, id);
create index sessions_idle on accounts.sessions (last_used_at) where provider = 'GUEST' and revoked_at is null;
create index sessions_ended on accounts.sessions (revoked_at) where revoked_at is not null;
create index sessions_past on accounts.sessions (ends_at) where ends_at is not null and revoked_at is null;
create index sessions_staff on accounts.sessions (user_id, staff_of) where staff_of is not null and revoked_at is null;
create index sessions_staff_of on accounts.sessions (staff_of) where staff_of is not null;

-- `permissions` and `expires_at` limit a key; null: all permissions of the user, no expiry. A key with either limit is hashed for
-- a purpose of its own.
create table accounts.api_keys (
  user_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  key_hash bytea not null, -- keyed: useless without SECRET_KEY
  last4 text not null,
  business_id text collate "C", -- null: valid in all businesses of the user
  created_at timestamptz not null,
  -- Fingerprint of the SECRET_KEY that `key_hash` was made with; null: unknown until the next use.
  secret_print text,
  passed_second_factor boolean not null default false, -- created in a session with a second factor
  permissions text[],
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint api_keys_pkey primary key (user_id, id),
  constraint api_keys_hash_key unique (key_hash),
  constraint api_keys_permissions_some check (permissions is null or cardinality(permissions) > 0),
  constraint api_keys_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index api_keys_business on accounts.api_keys (business_id) where business_id is not null;

-- Keys for access tokens. A key signs from `active_from` until the next one does. Its public key is published from before that
-- until no token signed with it is valid.
create table accounts.signing_keys (
  kid text collate "C" not null,
  public_jwk text not null,
  sealed_private bytea not null,
  active_from timestamptz not null,
  created_at timestamptz not null,
  constraint signing_keys_pkey primary key (kid)
);

-- A verified number belongs to one user only.
create table accounts.verified_phones (
  number text collate "C" not null,
  user_id text collate "C" not null,
  verified_at timestamptz not null,
  constraint verified_phones_pkey primary key (number),
  constraint verified_phones_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index verified_phones_user on accounts.verified_phones (user_id);

-- Guests who became users. Records of the guest are not rewritten: `guest_id` is resolved to `user_id`.
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

-- Accounts at identity providers.
create table accounts.identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint identities_pkey primary key (issuer, subject),
  constraint identities_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index identities_user on accounts.identities (user_id);

-- A sign-in at an identity provider, from the authorization URL until the client redeems its code. `new_issuer` and
-- `new_subject`: an identity to link to the account, once a second factor has been passed.
create table accounts.oauth_flows (
  state_hash bytea not null,
  sealed_secrets bytea not null, -- nonce and PKCE verifier
  origin_url text not null,
  redirect_url text not null,
  guest_id text collate "C", -- to be merged
  code_hash bytea,
  user_id text collate "C",
  sealed_provider_token bytea,
  expires_at timestamptz not null,
  new_issuer text collate "C",
  new_subject text collate "C",
  staff_of text collate "C", -- business whose provider is used; null: the provider of the deployment
  provider_session text,
  passed_second_factor boolean not null default false,
  constraint oauth_flows_pkey primary key (state_hash),
  constraint oauth_flows_code_key unique (code_hash)
);
create index oauth_flows_expiry on accounts.oauth_flows (expires_at);

-- Counters against guessing. In the database, so that limits hold across processes and restarts.
create table accounts.attempts (
  key text collate "C" not null,
  count integer not null,
  resets_at timestamptz not null,
  constraint attempts_pkey primary key (key)
);
create index attempts_resets_at on accounts.attempts (resets_at);

-- Settings of a user for one business.
create table accounts.business_configs (
  user_id text collate "C" not null,
  business_id text collate "C" not null,
  settings jsonb not null,
  constraint business_configs_pkey primary key (user_id, business_id),
  constraint business_configs_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index business_configs_business on accounts.business_configs (business_id);

-- Origins for links and redirects that operators have approved, in addition to ALLOWED_ORIGINS.
create table accounts.origins (
  origin text collate "C" not null,
  created_at timestamptz not null,
  constraint origins_pkey primary key (origin)
);

-- IP addresses of recent logins. Failed attempts from elsewhere do not lock the owner out there.
create table accounts.known_addresses (
  user_id text collate "C" not null,
  address_hash bytea not null, -- keyed: the address itself is not stored
  seen_at timestamptz not null,
  constraint known_addresses_pkey primary key (user_id, address_hash),
  constraint known_addresses_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- Authenticator apps. Required at login once confirmed. `last_step`: time step of the last code, so that each code works once.
create table accounts.second_factors (
  user_id text collate "C" not null,
  sealed_secret bytea not null,
  last_step bigint not null default 0,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  constraint second_factors_pkey primary key (user_id),
  constraint second_factors_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index second_factors_unconfirmed on accounts.second_factors (created_at) where confirmed_at is null;

-- Single use: a code is deleted when it is used.
create table accounts.recovery_codes (
  user_id text collate "C" not null,
  code_hash bytea not null,
  constraint recovery_codes_pkey primary key (user_id, code_hash),
  constraint recovery_codes_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

create table accounts.passkeys (
  user_id text collate "C" not null,
  id text collate "C" not null,
  credential_id bytea not null,
  public_key bytea not null, -- COSE
  counter bigint not null, -- a decrease indicates a cloned authenticator
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint passkeys_pkey primary key (user_id, id),
  constraint passkeys_credential_key unique (credential_id),
  constraint passkeys_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- Used passkey challenges, until they expire. Unused ones are not stored: a challenge is authenticated by a MAC.
create table accounts.used_challenges (
  challenge_hash bytea not null,
  expires_at timestamptz not null,
  constraint used_challenges_pkey primary key (challenge_hash)
);
create index used_challenges_expiry on accounts.used_challenges (expires_at);

-- A login that waits for its second factor, with everything needed to start the session.
create table accounts.login_challenges (
  challenge_hash bytea not null,
  user_id text collate "C" not null,
  provider text not null,
  guest_id text collate "C", -- to be merged
  ends_at timestamptz, -- expiry of the session, not of the challenge
  sealed_provider_token bytea,
  new_issuer text collate "C", -- identity to link to the account
  new_subject text collate "C",
  tries integer not null default 0,
  expires_at timestamptz not null,
  staff_of text collate "C",
  provider_session text,
  constraint login_challenges_pkey primary key (challenge_hash),
  constraint login_challenges_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index login_challenges_user on accounts.login_challenges (user_id);
create index login_challenges_expiry on accounts.login_challenges (expires_at);

-- The OpenID Connect provider through which team members of a business sign in.
create table accounts.sign_in_providers (
  business_id text collate "C" not null,
  issuer text collate "C" not null,
  client_id text not null,
  sealed_secret bytea not null,
  secret_last4 text not null,
  role_claim text not null,
  roles json not null, -- [{value, roleId}]
  trusts_second_factor boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint sign_in_providers_pkey primary key (business_id),
  constraint sign_in_providers_business_fkey foreign key (business_id) references access.businesses (id)
);

-- Email domains whose addresses may sign in through the provider, once ownership is verified. Domains verified by DNS are checked
-- daily and lapse if the record stays missing.
create table accounts.sign_in_domains (
  business_id text collate "C" not null,
  domain text collate "C" not null, -- lower case
  proof text not null, -- expected TXT record
  proven_at timestamptz,
  proven_by text, -- DNS, OPERATOR
  created_at timestamptz not null,
  last_checked_at timestamptz,
  last_result text, -- FOUND, MISSING, UNREACHABLE
  failing_since timestamptz, -- first of the failed daily checks
  constraint sign_in_domains_pkey primary key (business_id, domain),
  constraint sign_in_domains_provider_fkey foreign key (business_id)
    references accounts.sign_in_providers (business_id) on delete cascade
);

-- Exports of all personal data of a user. PENDING → RUNNING → READY or FAILED.
create table accounts.exports (
  id text collate "C" not null,
  user_id text collate "C" not null,
  status text collate "C" not null,
  bytes bigint not null default 0,
  parts integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  constraint exports_pkey primary key (id),
  constraint exports_status_check check (status in ('PENDING', 'RUNNING', 'READY', 'FAILED')),
  constraint exports_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
-- One export per user at a time.
create unique index exports_live on accounts.exports (user_id) where status in ('PENDING', 'RUNNING');
create index exports_user on accounts.exports (user_id, id);
create index exports_expiry on accounts.exports (expires_at);

-- The file in parts, each compressed and sealed, so that building and downloading it hold only one part in memory.
create table accounts.export_parts (
  export_id text collate "C" not null,
  number integer not null,
  sealed bytea not null,
  constraint export_parts_pkey primary key (export_id, number),
  constraint export_parts_export_fkey foreign key (export_id) references accounts.exports (id) on delete cascade
);
-- Already compressed.
alter table accounts.export_parts alter column sealed set storage external;
