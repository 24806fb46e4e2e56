/**
 * The jobs that an archive carries, and an import brings in. Their payloads name the business and rows of it, nothing else: an archive may
 * come from anybody, and a worker does what a job says for everybody.
 */
export const CARRIED_JOBS: readonly string[] = [
  'catalog.mail-low-stock',
  'catalog.work-off-bulk-edit',
  'catalog.drop-bulk-edit',
  'catalog.import-products',
  'catalog.clear-import',
  'catalog.undo-import',
  'checkout.send-confirmation',
  'checkout.send-new-order',
  'content.check-entries',
  'media.copy-again',
  'media.settle-logo',
  'newsletter.mail-confirmation',
  'newsletter.import-subscribers',
  'orders.send-shipment',
  'payments.apply-event',
  'webhooks.mail-admins',
]

/** The others of a cell that name a business, and why they stay behind. Those of extensions do, as the extensions' tables do. */
export const LEFT_JOBS: Readonly<Record<string, string>> = {
  'accounts.make-guest': 'makes a person under an id, and writes to an address, that the payload names',
  'customers.erase-person': 'names a person; every night it is made anew of the rows that say who is to be erased',
  'newsletter.mail-test': 'writes to an address that the payload names',
  'payments.cancel-subscription':
    'names a subscription of the provider; every night it is made anew where somebody who has left still pays',
}
