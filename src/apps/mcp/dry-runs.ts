/** What says beforehand what an operation would do. These change nothing, though they are POSTs: their question is long. */
export const DRY_RUNS: Readonly<Record<string, readonly string[]>> = {
  quoteRefund: ['refundOrder'],
  quote: ['checkout'],
  tryPromoCode: ['createPromoCode', 'updatePromoCode'],
  tryMarket: ['updateBusiness'],
  findSchemaImpact: ['updateCollection'],
  countMatchingReaders: ['sendEntry'],
}

export const changesNothing = (operationId: string) => operationId in DRY_RUNS

/** The dry run of an operation, if it has one of its own. */
export const dryRunOf = (operationId: string): string | undefined =>
  Object.keys(DRY_RUNS).find((name) => DRY_RUNS[name]?.includes(operationId))
