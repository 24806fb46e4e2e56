-- no transaction
-- What staff wrote when goods of an order came back. Orders and cancellations have no reason: a checkout writes nothing here.
create index concurrently stock_movements_with_reason on catalog.stock_movements (business_id, reference)
  where reason is not null and reference is not null;
