import { sql } from 'kysely'
import type { Figures } from './schemas.ts'

/** Sums of the columns of `reports.sums`, as they are shown: exact in the database, the largest that JSON can carry here. */
const shown = (column: string) => sql`
  least(greatest(sum(${sql.ref(`sums.${column}`)}), -9007199254740991), 9007199254740991)::bigint as ${sql.ref(column)}`
const COLUMNS = ['orders', 'units', 'subtotal', 'discount', 'shipping', 'tax', 'total', 'refunded'] as const
export const FIGURES = sql.join(COLUMNS.map(shown))

export type Summed = Record<(typeof COLUMNS)[number], number>

export const figuresOf = ({ orders, units, subtotal, discount, shipping, tax, total, refunded }: Summed): Figures => ({
  orders,
  units,
  subtotal,
  discount,
  shipping,
  tax,
  total,
  refunded,
  net: total - refunded,
})

export const less = (figures: Figures, others: Figures): Figures =>
  figuresOf({
    orders: figures.orders - others.orders,
    units: figures.units - others.units,
    subtotal: figures.subtotal - others.subtotal,
    discount: figures.discount - others.discount,
    shipping: figures.shipping - others.shipping,
    tax: figures.tax - others.tax,
    total: figures.total - others.total,
    refunded: figures.refunded - others.refunded,
  })

const NOTHING = figuresOf({ orders: 0, units: 0, subtotal: 0, discount: 0, shipping: 0, tax: 0, total: 0, refunded: 0 })
export const orNothing = (figures: Figures | undefined): Figures => figures ?? NOTHING
