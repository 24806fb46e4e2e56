import type { Answer } from '@kontor/sdk'

export type Level = Answer<'listStock'>['items'][number]

export const keyOf = ({ productId, variantId }: Pick<Level, 'productId' | 'variantId'>) => `${productId}/${variantId}`

export const nameOf = ({ productName, variantName }: Pick<Level, 'productName' | 'variantName'>) =>
  [productName, variantName].filter(Boolean).join(', ')

/** What is on the shelf, if it is known: what can be sold, and what is sold and not sent. */
export const shelfOf = ({ quantity, committed }: Pick<Level, 'quantity' | 'committed'>) =>
  committed === null ? undefined : quantity + committed
