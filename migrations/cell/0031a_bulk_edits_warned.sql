-- How many products of a bulk edit have any warning: a product may have several.
alter table catalog.bulk_edits add column warned integer not null default 0;
