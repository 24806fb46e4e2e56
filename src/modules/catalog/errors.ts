import { conflict, forbidden, invalid } from '#vocabulary/errors.ts'
import { MAX_QUANTITY } from './schemas.ts'

export const slugExists = (slug: string) =>
  conflict('slug', 'SLUG_EXISTS', `Another product of this business has the slug ${slug}.`)
export const outOfStock = (field: string, quantity: number) =>
  conflict(field, 'OUT_OF_STOCK', `There are only ${quantity} left.`)
export const stockTooLarge = () => invalid('delta', 'TOO_LARGE', `Stock cannot be above ${MAX_QUANTITY}.`)
export const noChange = () => invalid('delta', 'INVALID', 'delta must not be 0.')
export const draftsAreHidden = () => forbidden('Only who holds PRODUCTS_WRITE sees products that are not ACTIVE.')
