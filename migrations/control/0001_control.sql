-- Idempotency records of requests that control handles.

-- The first response to a request with an Idempotency-Key, written in the transaction of that request. `caller` is a user id.
create table control.idempotency_keys (
  business_id text collate "C" not null, -- '' if the request concerns no business
  caller text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  status integer not null,
  body text not null,
  created_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (business_id, caller, key)
);
create index idempotency_keys_created_at on control.idempotency_keys (created_at);
