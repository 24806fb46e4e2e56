import type { FastifyRequest } from 'fastify'
import * as refusal from '../errors.ts'
import { MAX_FILTERS } from '../limits.ts'
import type { BlockFilter } from './list-entries.ts'
import { MAX_VALUE_LENGTH } from './search-index.ts'

/**
 * Reads `block.<id>=value` from the query of a list. Each business names its blocks, so no schema can list the
 * parameters.
 */
export function blockFiltersOf(request: FastifyRequest): BlockFilter[] {
  const start = request.url.indexOf('?')
  if (start === -1) return []
  const asked = [...new URLSearchParams(request.url.slice(start))].filter(([name]) => name.startsWith('block.'))
  if (asked.length > MAX_FILTERS) throw refusal.tooManyFilters()
  const seen = new Set<string>()
  return asked.map(([name, value]) => {
    const blockId = name.slice('block.'.length)
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(blockId)) throw refusal.filterInvalid()
    if (seen.has(blockId)) throw refusal.filterRepeated({ name })
    if (value.length > MAX_VALUE_LENGTH) throw refusal.filterTooLong({ name })
    if (value.includes('\0') || !value.isWellFormed()) throw refusal.filterNotAText({ name })
    seen.add(blockId)
    return { blockId, value }
  })
}
