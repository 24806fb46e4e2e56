-- Readers who left by the link of a letter: by which send. Kept when they subscribe again, because the letter's result stays.
create table newsletter.unsubscribes (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  left_at timestamptz not null,
  constraint unsubscribes_pkey primary key (business_id, send_id, subscription_id)
);
