-- Events of businesses that happen in control, in the transaction of what they tell. A job carries them to the outbox of the
-- business's cell, under the same id.
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
