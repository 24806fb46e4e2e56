import type { OperationId } from '@kontor/sdk'

/** Which answers an event makes old: the first word of its type, and the operations by their names. */
const AFFECTED: Record<string, RegExp> = {
  order: /Order|Refund|Shipment|Customer|Report|Stock|Promo|^search/,
  payment: /Order|Refund|Customer|Report|Home/,
  product: /Product|Stock|Categor|Events|Home|^search/,
  stock: /Product|Stock|Events|Home/,
  bulk_edit: /BulkEdit|Product|Stock|Categor|Home|^search/,
  import: /Import|Product|Stock|Home/,
  promo: /Promo/,
  category: /Categor/,
  collection: /Collection|Entr|Schema/,
  entry: /Entr|Collection|Schema|Send|Automation|^search/,
  newsletter: /Send|Automation|Recipient|Entr|Subscriber|Report/,
  subscription: /Subscri|Customer|Suppression|Report/,
  subscriber_import: /Subscri/,
  media: /Media/,
  webhook_endpoint: /Webhook/,
}

/** What is of no known kind may have changed anything. */
export const affectedBy = (type: string): RegExp => AFFECTED[type.split('.')[0] ?? ''] ?? /./

/** These are about the person, not the business, or are asked for by the feed itself. */
export const isFollowed = (operation: OperationId) => operation !== 'listEvents'
