-- no transaction
-- The ledger only grows, so its newest rows lie together: this index costs a checkout next to nothing.
create index concurrently if not exists stock_movements_by_time on catalog.stock_movements
  using brin (created_at) with (pages_per_range = 16, autosummarize = on);
