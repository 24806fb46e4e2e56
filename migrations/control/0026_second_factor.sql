-- Passkeys, a second factor and what a session has shown of its person. Processes of the version before know none of it: they
-- begin sessions that have passed nothing, and write a business back as they have read it.

-- When and with what the person last proved themselves. Null: at the login, before this.
-- second_factor_at: when they last showed a second factor. Null: this session has passed none.
alter table accounts.sessions
  add column proven_at timestamptz,
  add column proven_with text,
  add column second_factor_at timestamptz;

-- Made in a session that had passed a second factor.
alter table accounts.api_keys add column passed_second_factor boolean not null default false;

-- Roles count only in sessions, and keys, that have passed a second factor.
alter table access.businesses add column require_second_factor boolean not null default false;

-- The secret that codes are made of. Counts once it is confirmed; last_step is that of the last code: each works once.
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

-- Each works once: it is deleted as it is used.
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
  counter bigint not null, -- one that falls tells of a copied authenticator
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint passkeys_pkey primary key (user_id, id),
  constraint passkeys_credential_key unique (credential_id),
  constraint passkeys_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);

-- Challenges for passkeys carry their own proof that we made them; kept are only those that were used, until they run out.
create table accounts.used_challenges (
  challenge_hash bytea not null,
  expires_at timestamptz not null,
  constraint used_challenges_pkey primary key (challenge_hash)
);
create index used_challenges_expiry on accounts.used_challenges (expires_at);

-- A login that waits for the second factor: everything that its session will need.
create table accounts.login_challenges (
  challenge_hash bytea not null,
  user_id text collate "C" not null,
  provider text not null,
  guest_id text collate "C", -- to be merged
  ends_at timestamptz, -- of the session, not of the challenge
  sealed_provider_token bytea,
  new_issuer text collate "C", -- an identity that joins the account with this login
  new_subject text collate "C",
  tries integer not null default 0,
  expires_at timestamptz not null,
  constraint login_challenges_pkey primary key (challenge_hash),
  constraint login_challenges_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
create index login_challenges_user on accounts.login_challenges (user_id);
create index login_challenges_expiry on accounts.login_challenges (expires_at);

-- An identity that joins its account only after the second factor.
alter table accounts.oauth_flows
  add column new_issuer text collate "C",
  add column new_subject text collate "C";
