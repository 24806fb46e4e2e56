create table ext_store_locator.stores (
  business_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  city text not null,
  country text not null,
  constraint stores_pkey primary key (business_id, id)
);

create index stores_by_country on ext_store_locator.stores (business_id, country, id);
