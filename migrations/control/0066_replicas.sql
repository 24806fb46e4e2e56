-- Where a copy of a cell is read that follows it; sealed: JSON with url. Null: CELLS of each process says so, or there is none.
-- For main, DATABASE_REPLICA_URL does.
alter table control.cells add column replica_address bytea,
  add constraint cells_main_replica check (id <> 'main' or replica_address is null);
