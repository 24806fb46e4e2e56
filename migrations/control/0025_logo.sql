-- The picture of a business, as an item: an address, or a copy of what is known of a file in its cell.
-- Processes of the version before write it back as they have read it.
alter table access.businesses add column logo json;
