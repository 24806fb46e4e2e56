/** Limits that both a check and its message name. */
export const MAX_SETTINGS = 16_384
export const MAX_KEYS = 50
export const MAX_PASSKEYS = 20
/** How long a whole export can be fetched. */
export const KEEP_EXPORT_MS = 24 * 3_600_000
