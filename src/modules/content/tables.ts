import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const contentTables: readonly BusinessTable[] = [
  cellTable('kept', 'content.collections', ['id']),
  cellTable('kept', 'content.collection_schemas', ['collection_id', 'version']),
  cellTable('kept', 'content.entries', ['id']),
  cellTable('kept', 'content.entry_versions', ['entry_id', 'number']),
  cellTable('kept', 'content.generation_usage', ['day']),
  cellTable('derived', 'content.entry_values', ['collection_id', 'block_id', 'value', 'status', 'entry_id']),
  cellTable('derived', 'content.search', ['entry_id']),
  cellTable('derived', 'content.spellings', ['spelling', 'word']),
]
