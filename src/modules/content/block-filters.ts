import type { FastifyRequest } from 'fastify'
import { invalid } from '#vocabulary/errors.ts'
import { MAX_VALUE_LENGTH } from './found-by.ts'
import type { BlockFilter } from './list-entries.ts'

const MAX_FILTERS = 5

/** `block.<id>=value` in the query of a list. The names are the business's own, so no schema can list them. */
export function blockFiltersOf(request: FastifyRequest): BlockFilter[] {
  const start = request.url.indexOf('?')
  if (start === -1) return []
  const asked = [...new URLSearchParams(request.url.slice(start))].filter(([name]) => name.startsWith('block.'))
  if (asked.length > MAX_FILTERS) throw invalid('block', 'TOO_MANY', `A list has ${MAX_FILTERS} block filters at most.`)
  const seen = new Set<string>()
  return asked.map(([name, value]) => {
    const blockId = name.slice('block.'.length)
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(blockId))
      throw invalid('block', 'INVALID', 'block.<id>: the id is not a block’s.')
    if (seen.has(blockId)) throw invalid(name, 'DUPLICATE', `${name} is there twice.`)
    if (value.length > MAX_VALUE_LENGTH)
      throw invalid(name, 'TOO_LONG', `Only values of up to ${MAX_VALUE_LENGTH} characters can be compared.`)
    if (value.includes('\0') || !value.isWellFormed()) throw invalid(name, 'INVALID', `${name} is not a text.`)
    seen.add(blockId)
    return { blockId, value }
  })
}
