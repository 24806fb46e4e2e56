import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'
import { checkArchivedFile, checkArchivedLeftover } from './check-archived.ts'

export const mediaTables: readonly BusinessTable[] = [
  // Whoever was working on a file works in another deployment, or no more.
  cellTable('kept', 'media.files', ['id'], {
    without: ['lease', 'leased_until'],
    leases: ['lease', 'leased_until'],
    check: checkArchivedFile,
  }),
  cellTable('kept', 'media.usages', ['kind', 'record_id', 'media_id']),
  cellTable('kept', 'media.sources', ['address_hash']),
  cellTable('kept', 'media.leftovers', ['prefix', 'due_at'], { check: checkArchivedLeftover }),
  cellTable('derived', 'media.used', []),
  cellTable('derived', 'media.words', ['word', 'file_id']),
]
