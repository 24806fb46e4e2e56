-- A business that is going to be deleted: since when, and from when on its rows and files may go. A business that is being imported
-- is marked the same way until it is whole, so that what is left of an import that nobody ends goes by itself; `import_of` is the
-- hash of its archive's manifest. Processes of the version before write none of it.
alter table access.businesses
  add column delete_at timestamptz,
  add column delete_asked_at timestamptz,
  add column import_of text collate "C";
