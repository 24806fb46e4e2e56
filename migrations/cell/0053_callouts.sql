-- What services of businesses have answered, for ten minutes: a checkout uses what the quote before it was told, whichever process
-- asked. By a hash of what was asked; nothing of the cart or its customer is here. `answer` is null where the service failed and the
-- business wants its own rates instead.
-- Unlogged: when the server crashes they are asked again.
create schema callouts;

create unlogged table callouts.answers (
  business_id text collate "C" not null,
  input_hash bytea not null,
  answer json,
  expires_at timestamptz not null,
  constraint answers_pkey primary key (business_id, input_hash)
);
create index answers_by_end on callouts.answers (expires_at);
