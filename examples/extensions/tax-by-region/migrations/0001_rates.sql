-- `region` is empty for all of a country.
create table ext_tax_by_region.rates (
  business_id text collate "C" not null,
  country text not null,
  region text not null,
  tax_class text not null,
  tax_bps integer not null,
  constraint rates_pkey primary key (business_id, country, region, tax_class),
  constraint rates_tax_bps_check check (tax_bps between 0 and 10000)
);

-- The secret of the business's tax callout, sealed.
create table ext_tax_by_region.secrets (
  business_id text collate "C" not null,
  sealed bytea not null,
  constraint secrets_pkey primary key (business_id)
);
