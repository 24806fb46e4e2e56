/** Limits that both a check and its message name. */
export const MAX_STATUS_ENTRIES = 1000
/** Of a text, of a choice, and of all blocks of a schema together: each process keeps those schemas that it has met lately. */
export const MAX_LOCALES = 100
export const MAX_CHOICES = 500
export const MAX_OPTIONS = 5000
