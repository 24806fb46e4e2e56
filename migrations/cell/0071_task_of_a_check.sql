-- `task`: what `after` is a place in. A release with other rules has other tasks, and null is the task of none.
alter table checks.runs add column task text;
