-- no transaction
-- Those that the worker still has to make the public text of; empty soon after.
create index concurrently if not exists products_without_public_document on catalog.products (business_id, id)
  where public_document is null and status <> 'DELETED';
