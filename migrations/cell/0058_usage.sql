-- What each business uses, counted in the processes and added now and then: by ten minutes for two days, by day (UTC) for a year.
create table cell.usage (
  business_id text collate "C" not null,
  since timestamptz not null,
  requests bigint not null default 0,
  mails bigint not null default 0,
  jobs bigint not null default 0,
  constraint usage_pkey primary key (business_id, since)
) with (fillfactor = 70); -- added to every few seconds
create index usage_by_time on cell.usage (since);

create table cell.usage_days (
  business_id text collate "C" not null,
  day timestamptz not null,
  requests bigint not null default 0,
  mails bigint not null default 0,
  jobs bigint not null default 0,
  rows bigint, -- estimated once a night; null: not on this day
  media_bytes bigint,
  constraint usage_days_pkey primary key (business_id, day)
);
create index usage_days_by_day on cell.usage_days (day);
