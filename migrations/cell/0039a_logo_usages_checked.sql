-- Reads the table beside its writers.
alter table media.usages validate constraint usages_kind_check;
