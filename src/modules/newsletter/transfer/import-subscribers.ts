import { type Static, Type } from 'typebox'
import { type Collection, isPaidPlan, lockCollection } from '#modules/content/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import { defineImport } from '#platform/transfer/define-import.ts'
import type { FailedLine, Line, Running, Written } from '#platform/transfer/kind.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { OneOf } from '#vocabulary/schemas.ts'
import { newsletterGone, planIsPaid, planNotFound, planRequired } from '../errors.ts'
import { subscriberImportFinished } from '../events.ts'
import { NewSubscription } from '../schemas.ts'
import { type ImportedSubscriber, NOTHING, type Outcome, subscribeMany } from '../subscriptions/subscribe-many.ts'
import { readSubscriberCsv } from './csv.ts'

const Imported = Type.Object({
  email: NewSubscription.properties.email,
  name: NewSubscription.properties.name,
  planId: NewSubscription.properties.planId,
  status: Type.Optional(OneOf(['ACTIVE', 'CANCELLED'])),
})
type Imported = Static<typeof Imported>

export const subscriberImport = defineImport({
  name: 'newsletter.import-subscribers',
  tables: { imports: 'newsletter.imports', rows: 'newsletter.importRows' },
  place: ['collectionId'],
  title: 'SubscriberImport',
  total: 'Rows of the file.',
  counters: {
    created: 'New addresses.',
    updated: 'Addresses that were subscribed already.',
    skipped: 'Left alone: whoever has left, or pays.',
  },
  schema: Imported,
  readCsv: (file, _business, onUnknown) => readSubscriberCsv(file, onUnknown),
  maxLineBytes: 16 * 1024,
  batchRows: 500,
  prepare: async () => null,
  writeRows,
  finished: subscriberImportFinished, // one event for the whole import: millions would delay those of others
  tidy: { name: 'newsletter.tidy-imports', cron: '54 * * * *' },
})

async function writeRows(
  tx: Tx,
  lines: Line<Imported>[],
  { businessId, place: { collectionId = '' } }: Running<null>,
): Promise<Written<keyof Outcome>> {
  // No plan is removed until this commits.
  const collection = await lockCollection(tx, businessId, collectionId, 'share')
  const failed: FailedLine[] = []
  const imported: ImportedSubscriber[] = []
  for (const { number, sent } of lines) {
    const plan = planOf(collection, sent)
    if ('details' in plan) failed.push({ number, details: plan.details })
    else imported.push({ email: sent.email, name: sent.name, status: sent.status ?? 'ACTIVE', ...plan })
  }
  const counts = imported.length > 0 ? await subscribeMany(tx, businessId, collectionId, imported) : NOTHING
  await fault('subscriber-import.before-commit')
  return { counts, failed }
}

/** A row with status CANCELLED needs no plan. */
function planOf(
  collection: Collection | undefined,
  { planId, status }: Imported,
): Pick<ImportedSubscriber, 'planId'> | { details: Detail[] } {
  if (collection?.type !== 'NEWSLETTER') return { details: [newsletterGone()] }
  const { plans } = collection
  if (status === 'CANCELLED') return { planId: undefined }
  if (planId === undefined) return plans.length > 0 ? planRequired() : { planId: null }
  const plan = plans.find(({ id }) => id === planId)
  if (!plan) return planNotFound({ field: 'planId' })
  return isPaidPlan(plan) ? { details: [planIsPaid()] } : { planId }
}
