/** Limits that both a check and its message name. */
export const MAX_SETTINGS = 16_384
export const MAX_KEYS = 50
export const MAX_PASSKEYS = 20
