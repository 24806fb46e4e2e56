import { findCategoryIds, findProducts } from '#modules/catalog/index.ts'
import { type Collection, findEntryIds } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import { createChecker } from '#platform/http/validation.ts'
import { collectDetails, type Details } from '#vocabulary/block-values.ts'
import type { Business } from '#vocabulary/business.ts'
import { holds, type Permission } from '#vocabulary/permissions.ts'
import * as refusal from '../errors.ts'
import { type Condition, KINDS, type SentConditions } from './schemas.ts'

const KNOWN = KINDS.map((kind) => {
  const { field } = kind.properties as unknown as { field: { enum: string[] } }
  return { fields: field.enum, check: createChecker(kind) }
})

type Place = {
  business: Pick<Business, 'id' | 'markets'>
  newsletter: Collection
  /** Of the caller. */
  permissions: readonly Permission[]
}

/** The conditions as they were sent, each checked as what its field says it is; what they name has to be there. */
export async function readConditions(db: Db, place: Place, sent: SentConditions): Promise<Condition[]> {
  const details = collectDetails()
  const conditions = sent.map((condition, index) => readShape(condition, index, details))
  details.throwIfAny() // what has its shape is looked up
  const read = conditions.flat()
  // A count of one reader tells what they are as a customer.
  const asksOfCustomers = read.some(({ field }) => field === 'tag' || field === 'bought')
  if (asksOfCustomers && !holds(place.permissions, 'ORDERS_READ')) throw refusal.conditionsNeedOrders()
  await checkNames(db, place, read, details)
  details.throwIfAny()
  return read
}

function readShape(sent: SentConditions[number], index: number, { report }: Details): Condition[] {
  const read = KNOWN.find(({ fields }) => fields.includes(sent.field))?.check(sent)
  if (!read) return []
  if ('details' in read) {
    for (const detail of read.details) report({ ...detail, field: `conditions.${index}.${detail.field}` })
    return []
  }
  const { value } = read
  if (value.field === 'bought' && (value.productIds === undefined) === (value.categoryId === undefined))
    report(refusal.boughtEitherOr.asDetail({ index }))
  if (value.field === 'subscribed') {
    const { from, to } = value
    if (from === undefined && to === undefined) report(refusal.subscribedWhen.asDetail({ index }))
    if (from !== undefined && to !== undefined && from >= to) report(refusal.subscribedEndsFirst.asDetail({ index }))
  }
  return [value]
}

type Find = (ids: readonly string[]) => Promise<ReadonlySet<string>>
/** Asks only if anything is named. */
const findAny = async (find: Find, ids: readonly (string | undefined)[]): Promise<ReadonlySet<string>> => {
  const named = ids.filter((id) => id !== undefined)
  return named.length > 0 ? find(named) : new Set()
}

async function checkNames(
  db: Db,
  { business, newsletter }: Place,
  conditions: readonly Condition[],
  { report }: Details,
): Promise<void> {
  const products = await findAny(
    (ids) => findProducts(db, business.id, ids),
    conditions.flatMap((one) => (one.field === 'bought' ? (one.productIds ?? []) : [])),
  )
  const entries = await findAny(
    (ids) => findEntryIds(db, business.id, newsletter.id, ids),
    conditions.map((one) => (one.field === 'clicked' ? one.entryId : undefined)),
  )
  const known = {
    plan: new Set(newsletter.plans.map(({ id }) => id)),
    market: new Set(business.markets.map(({ id }) => id)),
  }
  for (const [index, one] of conditions.entries()) {
    if (one.field === 'plan' || one.field === 'market')
      for (const [at, value] of one.values.entries())
        if (!known[one.field].has(value)) report(refusal.valueNotFound.asDetail({ index, at, what: one.field, value }))
    if (one.field === 'bought')
      for (const [at, productId] of (one.productIds ?? []).entries())
        if (!products.has(productId)) report(refusal.boughtProductNotFound.asDetail({ index, at, productId }))
    if (one.field === 'clicked' && one.entryId !== undefined && !entries.has(one.entryId))
      report(refusal.clickedEntryNotFound.asDetail({ index, entryId: one.entryId }))
  }
  await checkCategories(db, business.id, conditions, report)
}

/** Also when a send starts: nobody knows what was in a category that is gone. */
export async function checkCategories(
  db: Db,
  businessId: string,
  conditions: readonly Condition[],
  report: Details['report'],
): Promise<void> {
  const wanted = conditions.map((one) => (one.field === 'bought' ? one.categoryId : undefined))
  const categories = await findAny((ids) => findCategoryIds(db, businessId, ids), wanted)
  for (const [index, categoryId] of wanted.entries())
    if (categoryId !== undefined && !categories.has(categoryId))
      report(refusal.boughtCategoryNotFound.asDetail({ index, categoryId }))
}
