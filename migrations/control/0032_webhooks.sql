-- Endpoints of the operator: they are told what happens in every business of the deployment.
create schema if not exists webhooks;

create table webhooks.operator_endpoints (
  id text collate "C" not null,
  url text not null,
  types text[] not null,
  description text not null,
  -- Sealed.
  secret bytea not null,
  created_at timestamptz not null,
  constraint operator_endpoints_pkey primary key (id)
);
