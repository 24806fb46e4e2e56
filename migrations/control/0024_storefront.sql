-- Whether anybody may read the shop without a credential, and whether they see how much there is of each variant.
-- Processes of the version before write it back as they have read it.
alter table access.businesses add column storefront jsonb not null default '{"isPublic": false, "showQuantity": false}';
