import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#vocabulary/actor.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import { type Block, checkSchemaBlocks } from '#vocabulary/blocks.ts'
import { isCurrency } from '#vocabulary/currencies.ts'
import { newId } from '#vocabulary/ids.ts'
import { findOffStep } from '#vocabulary/money.ts'
import { amountOffStep } from '#vocabulary/refusals.ts'
import { appendStatuses, currentOf, type StatusEntry } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import {
  clicksNeedNewsletter,
  collectionTooLarge,
  opensNeedNewsletter,
  optInNeedsNewsletter,
  planCurrencyInvalid,
  planRepeated,
  plansNeedNewsletter,
} from '../errors.ts'
import type { CollectionChanges, CollectionType, ContentStatus, NewPlan, Plan } from '../schemas.ts'

/** A collection as stored. */
export type Collection = {
  businessId: string
  id: string
  name: string
  slug: string
  description: string
  type: CollectionType
  blocks: Block[]
  statuses: StatusEntry<ContentStatus>[]
  plans: Plan[]
  /** Newsletters with double opt-in: subscribers must confirm their address. */
  doubleOptIn: boolean
  /** Newsletters that count which links are opened. */
  countClicks: boolean
  /** Newsletters that count which letters are opened. */
  countOpens: boolean
  schemaVersion: number
  version: number
  createdAt: Date
  updatedAt: Date
}

type Context = { businessId: string; actor: Actor; at: Date }

const MAX_DOCUMENT_LENGTH = 500_000

/**
 * Applies the changes to a collection. `slug` stays empty when there is none yet: the caller makes one from the name.
 */
export function mergeCollection(
  before: Collection | undefined,
  sent: CollectionChanges,
  { businessId, actor, at }: Context,
): Collection {
  const statuses = before?.statuses ?? []
  const first = before || sent.statuses?.length ? [] : [{ status: 'DRAFT' as const }]
  const blocks = sent.blocks ? checkSchemaBlocks(sent.blocks) : (before?.blocks ?? [])
  const type = sent.type ?? before?.type ?? 'STANDARD'
  const plans = sent.plans ? checkPlans(sent.plans) : (before?.plans ?? [])
  if (type !== 'NEWSLETTER' && plans.length > 0) throw plansNeedNewsletter()
  const doubleOptIn = sent.doubleOptIn ?? (before?.type === type && before.doubleOptIn)
  if (type !== 'NEWSLETTER' && doubleOptIn) throw optInNeedsNewsletter()
  const countClicks = sent.countClicks ?? (before?.type === type && before.countClicks)
  if (type !== 'NEWSLETTER' && countClicks) throw clicksNeedNewsletter()
  const countOpens = sent.countOpens ?? (before?.type === type && before.countOpens)
  if (type !== 'NEWSLETTER' && countOpens) throw opensNeedNewsletter()
  const isSameSchema = isDeepStrictEqual(blocks, before?.blocks)
  const collection: Collection = {
    businessId,
    id: before?.id ?? newId('col'),
    name: sent.name ?? before?.name ?? '',
    slug: sent.slug ?? before?.slug ?? '',
    description: sent.description ?? before?.description ?? '',
    type,
    blocks,
    statuses: appendStatuses(statuses, [...(sent.statuses ?? []), ...first], {
      field: 'statuses',
      actor,
      atSeconds: toSeconds(at),
    }),
    plans,
    doubleOptIn,
    countClicks,
    countOpens,
    schemaVersion: (before?.schemaVersion ?? 0) + (before && isSameSchema ? 0 : 1),
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
  }
  if (toDocument(collection).length > MAX_DOCUMENT_LENGTH) throw collectionTooLarge()
  return collection
}

function checkPlans(plans: readonly NewPlan[]): Plan[] {
  const { report, throwIfAny } = collectDetails()
  const seen = new Set<string>()
  const checked = plans.map(({ id = newId('pln'), ...plan }, index) => {
    if (seen.has(id)) report(planRepeated.asDetail({ index, id }))
    seen.add(id)
    if (plan.price && !isCurrency(plan.price.currency.toUpperCase())) {
      report(planCurrencyInvalid.asDetail({ index, currency: plan.price.currency }))
    }
    const off = plan.price && findOffStep(plan.price.amount, plan.price.currency.toUpperCase())
    if (off) report(amountOffStep.asDetail({ field: `plans.${index}.price.amount`, ...off }))
    return { id, ...plan }
  })
  throwIfAny()
  return checked
}

export const isPaidPlan = ({ price }: Plan) => price !== undefined && price.amount > 0

export const statusOf = ({ statuses }: { statuses: StatusEntry<ContentStatus>[] }): ContentStatus =>
  currentOf(statuses) ?? 'DRAFT'

/**
 * The response body of a read, serialised in advance. All of it is public when the collection is, except who changed
 * its status. No block comes after the status history: `toAnswer` relies on it.
 */
export function toDocument(collection: Collection): string {
  const {
    id,
    businessId,
    name,
    slug,
    description,
    type,
    blocks,
    statuses,
    plans,
    doubleOptIn,
    countClicks,
    countOpens,
    schemaVersion,
  } = collection
  return JSON.stringify({
    id,
    businessId,
    name,
    slug,
    description,
    type,
    blocks,
    statuses,
    ...(type === 'NEWSLETTER' && { plans, doubleOptIn }),
    ...(countClicks && { countClicks }),
    ...(countOpens && { countOpens }),
    schemaVersion,
    createdAt: toSeconds(collection.createdAt),
    updatedAt: toSeconds(collection.updatedAt),
  })
}
