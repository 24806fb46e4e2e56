// An extension in a project of its own: it type-checks against the package, and the compiler knows routes and events.
import { BusinessParams, defineJob, enqueue, extension, operation, route, Type, transaction } from 'kontor/extension'

const remind = defineJob({
  name: 'shipping.remind',
  on: 'cell',
  payload: Type.Object({ orderId: Type.String() }),
  run: async ({ orderId }, { log }) => log.info(orderId.toUpperCase()),
})

const getLabel = operation({
  method: 'GET',
  url: '/labels/:id',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'getLabel',
    params: Type.Object({ ...BusinessParams.properties, id: Type.String() }),
    response: { 200: Type.Object({ id: Type.String() }) },
  },
})

export const shipping = extension({
  name: 'shipping',
  jobs: [remind],
  on: {
    'order.paid': async ({ subject, data, businessId }, { db }) => {
      const total: number = data.total
      // @ts-expect-error: the total is a number
      const text: string = data.total
      // @ts-expect-error: a job gets its payload
      await transaction(db, (tx) => enqueue(tx, remind, { order: subject }))
      if (total > 0) await transaction(db, (tx) => enqueue(tx, remind, { orderId: subject + businessId + text }))
    },
    // @ts-expect-error: there is no such event
    'order.payed': async () => {},
  },
  routes: () => [
    route(getLabel, async ({ params }) => ({ id: params.id })),
    // @ts-expect-error: that is not what it answers
    route(getLabel, async () => ({ number: 7 })),
    // @ts-expect-error: it has no such parameter
    route(getLabel, async ({ params }) => ({ id: params.name })),
  ],
})
