-- The tables that a move copies, each with a print of its columns: a release may change them meanwhile. Null until it copies, and
-- where it began in a version that did not keep them.
alter table control.moves add column tables json;
-- Each old row was the same as its copy: from then on they may go.
alter table control.moves add column compared_at timestamptz;
