import { Type } from 'typebox'
import { Count, defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { idOf, Nullable, VariantId } from '#vocabulary/schemas.ts'

const ImportId = idOf('imp', '01jcq3v7k8f5t9x2m4n6p8r0sw')

export const productCreated = defineEvent('product.created', {
  subject: 'product',
  note: 'By an import: with its id.',
  data: Type.Object({ importId: Type.Optional(ImportId) }),
})
export const productUpdated = defineEvent('product.updated', {
  subject: 'product',
  note: 'With the fields that were sent; by an import with its id instead.',
  data: Type.Object({ fields: Type.Optional(FieldNames), importId: Type.Optional(ImportId) }),
})
export const productDeleted = defineEvent('product.deleted', { subject: 'product', data: Nothing })

export const stockChanged = defineEvent('stock.changed', {
  subject: 'product',
  note: 'Only for `POST …/stock`. `quantity` is what there is now.',
  data: Type.Object({ variantId: VariantId, delta: Type.Integer({ examples: [-2] }), quantity: Count }),
})
export const stockLow = defineEvent('stock.low', {
  subject: 'product',
  note: 'Each variant at most once in 24 hours.',
  data: Type.Object({ variantId: VariantId, quantity: Count, lowStockThreshold: Nullable(Count) }),
})

export const importFinished = defineEvent('import.finished', {
  subject: 'import',
  data: Type.Object({ created: Count, updated: Count, failed: Count }),
})

export const promoCreated = defineEvent('promo.created', { subject: 'promo code', data: Nothing })
export const promoUpdated = defineEvent('promo.updated', {
  subject: 'promo code',
  note: 'With the fields that were sent.',
  data: Type.Object({ fields: FieldNames }),
})
export const promoDeleted = defineEvent('promo.deleted', { subject: 'promo code', data: Nothing })
