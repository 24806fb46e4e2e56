import { Type } from 'typebox'
import { Count, defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { idOf, Nullable, OneOf, ProductId, VariantId } from '#vocabulary/schemas.ts'
import { STOCK_KINDS } from './schemas.ts'

const ImportId = idOf('imp', '01jcq3v7k8f5t9x2m4n6p8r0sw')

export const productCreated = defineEvent('product.created', {
  subject: 'product',
  note: 'By an import: with its id.',
  data: Type.Object({ importId: Type.Optional(ImportId) }),
})
export const productUpdated = defineEvent('product.updated', {
  subject: 'product',
  note: 'With the fields that were sent; by an import or its undo with the import’s id instead.',
  data: Type.Object({ fields: Type.Optional(FieldNames), importId: Type.Optional(ImportId) }),
})
export const productDeleted = defineEvent('product.deleted', { subject: 'product', data: Nothing })

export const stockChanged = defineEvent('stock.changed', {
  subject: 'order, product or stocktake',
  note:
    'Once for all that an order takes or gives back, for a return, for a stocktake, and for `POST …/stock`, whose subject ' +
    'is the product. Imports and `PUT`s of a product do not tell it.',
  data: Type.Object({
    kind: OneOf(STOCK_KINDS, { description: 'As in the stock’s ledger.' }),
    reference: Nullable(
      Type.String({ description: 'The order or stocktake.', examples: ['ord_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
    ),
    changes: Type.Array(
      Type.Object({ productId: ProductId, variantId: VariantId, delta: Type.Integer({ examples: [-2] }) }),
    ),
  }),
})
export const stockLow = defineEvent('stock.low', {
  subject: 'product',
  note: 'Each variant at most once in 24 hours.',
  data: Type.Object({ variantId: VariantId, quantity: Count, lowStockThreshold: Nullable(Count) }),
})

export const importFinished = defineEvent('import.finished', {
  subject: 'import',
  note: 'Also when it was stopped. A dry run tells nothing until it is applied.',
  data: Type.Object({ created: Count, updated: Count, unchanged: Count, skipped: Count, failed: Count }),
})
export const importUndone = defineEvent('import.undone', {
  subject: 'import',
  note: '`kept`: products that somebody has changed since.',
  data: Type.Object({ undone: Count, kept: Count }),
})

export const bulkEditFinished = defineEvent('bulk_edit.finished', {
  subject: 'bulk edit',
  note: 'The one event of all products that it changed, also when it was stopped. Its items name them.',
  data: Type.Object({
    work: OneOf(['APPLY', 'UNDO']),
    changed: Count,
    skipped: Count,
    isStopped: Type.Boolean({ examples: [false] }),
  }),
})

export const categoryCreated = defineEvent('category.created', { subject: 'category', data: Nothing })
export const categoryUpdated = defineEvent('category.updated', {
  subject: 'category',
  note: 'With the fields that were sent.',
  data: Type.Object({ fields: FieldNames }),
})
export const categoryDeleted = defineEvent('category.deleted', { subject: 'category', data: Nothing })

export const promoCreated = defineEvent('promo.created', { subject: 'promo code', data: Nothing })
export const promoUpdated = defineEvent('promo.updated', {
  subject: 'promo code',
  note: 'With the fields that were sent.',
  data: Type.Object({ fields: FieldNames }),
})
export const promoDeleted = defineEvent('promo.deleted', { subject: 'promo code', data: Nothing })
