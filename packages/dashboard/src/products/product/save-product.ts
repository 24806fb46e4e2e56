import { etagOf, type Product } from '@kontor/sdk'
import { isSame } from '../../merge/is-same.ts'
import { saveMerged } from '../../merge/save.ts'
import type { Merged } from '../../merge/three-way.ts'
import { type Edits, readField } from './edits.ts'
import { type ProductChanges, toChanges } from './to-body.ts'

export type Values = Record<string, unknown>

type Saving = {
  /** As it was last read. */
  product: Product
  edits: Edits
  markets: readonly { id: string }[]
  write: (changes: ProductChanges, ifMatch: string) => Promise<Product>
  read: () => Promise<Product>
  decide: (merged: Merged<Values>) => Promise<Values | undefined>
}

/** Saves what was changed, field by field merged with what others saved meanwhile. Undefined: not saved. */
export function saveProduct({ product, edits, markets, write, read, decide }: Saving): Promise<Product | undefined> {
  const fields = Object.keys(edits)
  const valuesOf = (one: Product): Values => Object.fromEntries(fields.map((field) => [field, readField(one, field)]))
  const side = (name: 'was' | 'now'): Values => Object.fromEntries(fields.map((field) => [field, edits[field]?.[name]]))
  let now: Product | undefined
  return saveMerged<Values, Product>({
    base: side('was'),
    mine: side('now'),
    // What the page shows may be newer than what this person began with: it is merged with first.
    etag: undefined,
    read: async () => {
      now = now ? await read() : product
      return { value: valuesOf(now), etag: etagOf(now) }
    },
    write: async (value, etag) => {
      const there = now ?? product
      const before = valuesOf(there)
      const left = fields.filter((field) => !isSame(before[field], value[field]))
      const changes = toChanges(
        there,
        Object.fromEntries(left.map((field) => [field, { was: before[field], now: value[field] }])),
        markets,
      )
      return Object.keys(changes).length === 0 ? there : write(changes, etag)
    },
    decide,
  })
}
