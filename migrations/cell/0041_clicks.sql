-- Clicks in letters, of newsletters that count them (`count_clicks`), by readers who do not mind (`counts_clicks`). A send keeps where
-- its links lead: a counted link names one of them by its place, and can lead nowhere else.
alter table content.collections add column count_clicks boolean not null default false;
alter table newsletter.subscriptions add column counts_clicks boolean not null default true;
alter table newsletter.sends add column links text[];
create table newsletter.clicks (
  business_id text collate "C" not null,
  send_id text collate "C" not null,
  subscription_id text collate "C" not null,
  link integer not null,
  clicks integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  constraint clicks_pkey primary key (business_id, send_id, subscription_id, link),
  constraint clicks_number_check check (clicks > 0 and link >= 0)
) with (fillfactor = 80);
