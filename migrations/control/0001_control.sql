-- What the platform itself keeps in the control database.
create schema if not exists control;

-- The first answer to a request that carried an Idempotency-Key, written in the transaction that it protects.
create table control.idempotency_keys (
  business_id text collate "C" not null, -- '' where the request names no business
  caller text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  status integer not null,
  body text not null,
  created_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (business_id, caller, key)
);
create index idempotency_keys_created_at on control.idempotency_keys (created_at);
