export const MAX_ENDPOINTS = 20
export const MAX_REPLAYED = 100_000
/** So many deliveries of an endpoint wait to be tried again; with more, new events wait, too. */
export const MAX_WAITING = 10_000
/** Deliveries that are kept of an endpoint, however many fail. */
export const MAX_KEPT = 100_000

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** How long deliveries that failed, and their attempts, are kept. */
export const KEEP_MS = 14 * DAY_MS
