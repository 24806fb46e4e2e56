import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { eachAlone } from '#platform/jobs/each-alone.ts'
import { createRenderer, type Rendered } from '#platform/mail/render.ts'
import { isHere } from '#platform/moves/fence.ts'
import { Id } from '#vocabulary/schemas.ts'
import { stockLow } from '../events.ts'

const BATCH = 500
const render = createRenderer(path.join(import.meta.dirname, 'mails'))

/**
 * Announces stock that has fallen to its threshold. A stock change only marks the row, because a checkout has no time
 * for events and jobs. One mail per business and run, however many variants are low.
 */
export const announceLowStock = defineJob({
  name: 'catalog.announce-low-stock',
  on: 'cell',
  payload: Type.Object({}),
  cron: '* * * * *',
  async run(_payload, { db, log, signal }) {
    while (!signal.aborted) {
      const count = await announceBatch(db, log)
      if (count < BATCH) return
    }
  },
})

type LowRow = { businessId: string; productId: string; variantId: string; quantity: number; lowStockThreshold: number }

const announceBatch = (db: Db, log: Pick<FastifyBaseLogger, 'error'>): Promise<number> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<LowRow>`
      update catalog.stock
         set low_news_due = false
        from (select business_id, product_id, variant_id
                from catalog.stock
               where low_news_due and ${isHere('business_id')}
               order by low_at
               limit ${BATCH}
                 for update skip locked) as due
       where stock.business_id = due.business_id and stock.product_id = due.product_id
         and stock.variant_id = due.variant_id
      returning stock.business_id, stock.product_id, stock.variant_id, stock.quantity, stock.low_stock_threshold`.execute(
      tx,
    )
    await record(
      tx,
      ...rows.map(({ businessId, productId, variantId, quantity, lowStockThreshold }) =>
        stockLow({ businessId, subject: productId, data: { variantId, quantity, lowStockThreshold } }),
      ),
    )
    const mails = Array.from(
      Map.groupBy(rows, (row) => row.businessId),
      ([businessId, low]) => ({
        businessId,
        variants: low.map(({ productId, variantId }) => ({ productId, variantId })),
      }),
    )
    await eachAlone(mails, { log, failed: 'low stock not mailed', isTransaction: true }, (mail) =>
      enqueue(tx, mailLowStock, mail),
    )
    return rows.length
  })

export const mailLowStock = defineJob({
  name: 'catalog.mail-low-stock',
  on: 'cell',
  payload: Type.Object({
    businessId: Id,
    variants: Type.Array(Type.Object({ productId: Id, variantId: Id }), { maxItems: BATCH }),
  }),
  async run({ businessId, variants }, { db, control, services }) {
    const to = (await findBusiness(control, businessId))?.contactEmail
    if (!to || !services.mail) return // the event announces it as well
    const low = await listLow(db, businessId, variants)
    if (low.length > 0) await services.mail.send({ to, ...(await lowStockMail(low)) })
  },
})

export type LowVariant = { product: string; variant: string; sku: string; quantity: number }

export const lowStockMail = (low: LowVariant[]): Promise<Rendered> => {
  const [first] = low
  const subject = low.length === 1 && first ? `Low stock: ${first.product}` : `Low stock: ${low.length} variants`
  return render('low-stock', subject, { low })
}

async function listLow(db: Db, businessId: string, variants: readonly { productId: string; variantId: string }[]) {
  const { rows } = await sql<LowVariant>`
    select product.name as product, variant.name as variant, variant.sku, stock.quantity
      from unnest(${variants.map(({ productId }) => productId)}::text[], ${variants.map(({ variantId }) => variantId)}::text[])
           as wanted (product_id, variant_id)
      join catalog.products as product on product.business_id = ${businessId} and product.id = wanted.product_id
      join catalog.variants as variant on variant.business_id = ${businessId}
           and variant.product_id = wanted.product_id and variant.id = wanted.variant_id
      join catalog.stock as stock on stock.business_id = ${businessId}
           and stock.product_id = wanted.product_id and stock.variant_id = wanted.variant_id
     where product.status <> 'DELETED' and stock.position is not null
       and stock.tracked and stock.quantity <= stock.low_stock_threshold
     order by product.name, stock.position`.execute(db)
  return rows
}
