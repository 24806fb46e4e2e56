// Sends each paid order to an ERP, once: ERP_URL gets a POST with the order as the API shows it.
import {
  BusinessParams,
  type Db,
  defineJob,
  enqueue,
  extension,
  Id,
  notFound,
  now,
  OrderId,
  operation,
  readOrder,
  route,
  Success,
  sql,
  Type,
  transaction,
  UnixSeconds,
} from 'kontor/extension'

const { ERP_URL } = process.env
if (!ERP_URL) throw new Error('ERP_URL is required: the address that paid orders are sent to.')

const TIMEOUT_MS = 10_000

const orderNotFound = notFound('order')

/** Throws when the ERP does not take it; the job is then tried again. */
async function send(order: { id: string }, signal: AbortSignal): Promise<void> {
  const answer = await fetch(ERP_URL as string, {
    method: 'POST',
    // If this process dies before it has noted the export, the order is sent again: the ERP knows it by this key.
    headers: { 'content-type': 'application/json', 'idempotency-key': order.id },
    body: JSON.stringify(order),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`The ERP answers ${answer.status}.`)
}

async function exportOrder(db: Db, businessId: string, orderId: string, signal: AbortSignal): Promise<void> {
  const { rows } = await sql`
    select from ext_erp_export.exports where business_id = ${businessId} and order_id = ${orderId}`.execute(db)
  if (rows.length > 0) return
  const order = await readOrder(db, businessId, orderId)
  if (!order) return
  await send(order, signal)
  await sql`
    insert into ext_erp_export.exports (business_id, order_id, exported_at) values (${businessId}, ${orderId}, ${now()})
    on conflict do nothing`.execute(db)
}

const exportAgain = defineJob({
  name: 'erp-export.again',
  on: 'cell',
  payload: Type.Object({ businessId: Id, orderId: Id }),
  run: ({ businessId, orderId }, { db, signal }) => exportOrder(db, businessId, orderId, signal),
})

const OrderParams = Type.Object({ ...BusinessParams.properties, orderId: OrderId })

const getExport = operation({
  method: 'GET',
  url: '/orders/:orderId',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'getErpExport',
    summary: 'Ask whether an order was exported',
    params: OrderParams,
    response: { 200: Type.Object({ exportedAt: Type.Union([UnixSeconds, Type.Null()]) }) },
  },
})

const exportOnceMore = operation({
  method: 'POST',
  url: '/orders/:orderId/again',
  config: { access: 'ORDERS_WRITE', business: 'path' },
  schema: {
    operationId: 'exportToErpAgain',
    summary: 'Export an order once more',
    description: 'When the ERP has lost it. A job does it.',
    params: OrderParams,
    response: { 202: Success },
  },
})

export const erpExport = extension({
  name: 'erp-export',
  title: 'ERP export',
  description: 'Paid orders, as the ERP got them.',
  migrations: new URL('./migrations/', import.meta.url),
  jobs: [exportAgain],
  on: {
    'order.paid': ({ businessId, subject }, { db, signal }) => exportOrder(db, businessId, subject, signal),
  },
  routes: () => [
    route(getExport, async ({ cell, business, params }) => {
      const { rows } = await sql<{ exportedAt: number }>`
        select extract(epoch from exported_at)::integer as exported_at
          from ext_erp_export.exports where business_id = ${business.id} and order_id = ${params.orderId}`.execute(cell)
      return { exportedAt: rows[0]?.exportedAt ?? null }
    }),

    route(exportOnceMore, async ({ cell, business, params: { orderId } }, reply) => {
      if (!(await readOrder(cell, business.id, orderId))) throw orderNotFound()
      await transaction(cell, async (tx) => {
        await sql`
          delete from ext_erp_export.exports where business_id = ${business.id} and order_id = ${orderId}`.execute(tx)
        await enqueue(tx, exportAgain, { businessId: business.id, orderId })
      })
      void reply.code(202)
      return { success: true } as const
    }),
  ],
})
