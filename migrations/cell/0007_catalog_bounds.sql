-- How many of a variant one order may have; null: as many as any order may. Not validated: no row has one yet, and reading them
-- all to see that would keep buyers waiting.
alter table catalog.variants add column max_per_order integer;
alter table catalog.variants
  add constraint variants_max_per_order_check check (max_per_order between 1 and 10000) not valid;
