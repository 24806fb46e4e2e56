-- Staff of a business sign in with its own OpenID provider. Processes of the version before know of none: they begin no such
-- sign-in, and give and take roles as before.
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

-- Addresses of these domains may be signed in, once the domain is proven to be the business's.
create table accounts.sign_in_domains (
  business_id text collate "C" not null,
  domain text collate "C" not null, -- lower case
  proof text not null, -- what its text record must say
  proven_at timestamptz,
  proven_by text, -- DNS, OPERATOR
  created_at timestamptz not null,
  constraint sign_in_domains_pkey primary key (business_id, domain),
  constraint sign_in_domains_provider_fkey foreign key (business_id)
    references accounts.sign_in_providers (business_id) on delete cascade
);

-- The business whose provider this sign-in goes to. Null: the operator's.
alter table accounts.oauth_flows
  add column staff_of text collate "C",
  add column provider_session text,
  add column passed_second_factor boolean not null default false;
alter table accounts.login_challenges
  add column staff_of text collate "C",
  add column provider_session text;
alter table accounts.sessions
  add column staff_of text collate "C",
  add column provider_session text; -- its `sid` at the provider

-- Given by the provider, and taken when it no longer says so. Roles that people gave stay.
alter table access.memberships add column from_provider boolean not null default false;
