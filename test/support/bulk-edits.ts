import assert from 'node:assert/strict'
import { catalogJobs } from '#modules/catalog/index.ts'
import type { Cell } from '#platform/database/database.ts'
import type { Client } from './client.ts'
import type { TestApi } from './start-api.ts'
import { until } from './until.ts'

export type BulkEditAnswer = { id: string; status: string; total: number; done: number } & Record<string, unknown>
export type ItemAnswer = {
  productId: string
  name: string | null
  changes: { field: string; marketId: string | null; variantId: string | null; before: unknown; after: unknown }[]
  status: string
  warnings: string[]
  details: { field: string; error: string }[]
}

type Shop = { admin: Client; path: string }

export const plusFive = [
  { field: 'price', marketId: 'us', op: 'percent', bps: 500 },
  { field: 'price', marketId: 'us', op: 'round', to: 100, ending: 90 },
]

/** Answers once a worker has done what is under way. */
export const settled = ({ admin, path }: Shop, id: string, withinMs = 30_000): Promise<BulkEditAnswer> =>
  until(
    `bulk edit ${id} is done`,
    async () => {
      const { status, text, body } = await admin.get(`${path}/bulk-edits/${id}`)
      if (status !== 200) throw new Error(text)
      return ['DRY_RUN', 'APPLYING', 'UNDOING'].includes(body.status) ? undefined : (body as BulkEditAnswer)
    },
    { withinMs },
  )

/** The dry run of these changes. */
export async function tryEdit(shop: Shop, select: object, changes: readonly object[]): Promise<BulkEditAnswer> {
  const made = await shop.admin.post(`${shop.path}/bulk-edits`, { list: 'products', select, changes })
  assert.equal(made.status, 202, made.text)
  return settled(shop, made.body.id)
}

export async function steer(shop: Shop, id: string, verb: 'apply' | 'undo'): Promise<BulkEditAnswer> {
  const asked = await shop.admin.post(`${shop.path}/bulk-edits/${id}/${verb}`, undefined)
  assert.equal(asked.status, 202, asked.text)
  return settled(shop, id)
}

export async function itemsOf({ admin, path }: Shop, id: string, query = ''): Promise<ItemAnswer[]> {
  const items: ItemAnswer[] = []
  for (let cursor = ''; ; ) {
    const { status, text, body } = await admin.get(`${path}/bulk-edits/${id}/items?limit=100&${query}&cursor=${cursor}`)
    assert.equal(status, 200, text)
    items.push(...body.items)
    if (body.cursor === null) return items
    cursor = body.cursor
  }
}

/** One run of a job of the catalog, where there is no worker. */
export async function runCatalogJob(
  { services }: Pick<TestApi, 'services'>,
  db: Cell,
  name: string,
  payload: object,
  attempt = 1,
): Promise<void> {
  const job = catalogJobs.find((each) => each.name === name)
  assert.ok(job?.on === 'cell', name)
  const { control } = services.databases
  const context = { db, control, attempt, signal: AbortSignal.timeout(30_000), fence: async () => {} }
  await job.run(payload, context as never)
}
