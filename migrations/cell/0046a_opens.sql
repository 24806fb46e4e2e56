-- Letters that are opened, of newsletters that count that (`count_opens`): once for each reader, by a picture. A send keeps whether its
-- letter has the picture.
alter table content.collections add column count_opens boolean not null default false;
alter table newsletter.sends add column counts_opens boolean not null default false;
create table newsletter.opens (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  first_at timestamptz not null,
  constraint opens_pkey primary key (business_id, send_id, subscription_id)
);
