-- Reads the table beside its writers.
alter table catalog.imports validate constraint imports_status_check;
