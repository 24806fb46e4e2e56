-- Reads the table beside its writers.
alter table catalog.stock_movements validate constraint stock_movements_kind_check;
