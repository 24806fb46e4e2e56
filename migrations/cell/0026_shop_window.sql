-- Tags, texts for search engines, translations, planned prices, and the text that strangers read. `public_document` is the public
-- answer with gaps for stock, market and locale; null until the worker has made that of a product that was there before.
alter table catalog.products
  add column tags text[] not null default '{}',
  add column seo json not null default '{"title":"","description":""}',
  add column translations json not null default '{}',
  add column public_document text,
  add column prices_change_at timestamptz;
alter table catalog.variants add column translations json not null default '{}';

do $$
begin
  alter table catalog.products alter column public_document set compression lz4;
exception when feature_not_supported then null;
end $$;

-- Every slug of every locale: one namespace for all of them. Products that were there before come in with their public text.
create table catalog.product_slugs (
  business_id text collate "C" not null,
  slug text collate "C" not null,
  product_id text collate "C" not null,
  constraint product_slugs_pkey primary key (business_id, slug),
  constraint product_slugs_product_fkey foreign key (business_id, product_id) references catalog.products
);
create index product_slugs_by_product on catalog.product_slugs (business_id, product_id);

-- What a variant cost in a market, and until when. What it costs now is in the variant itself.
create table catalog.price_history (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  market_id text collate "C" not null,
  until timestamptz not null,
  price bigint not null,
  constraint price_history_pkey primary key (business_id, product_id, variant_id, market_id, until),
  constraint price_history_variant_fkey foreign key (business_id, product_id, variant_id) references catalog.variants
);
create index price_history_until on catalog.price_history (until);
