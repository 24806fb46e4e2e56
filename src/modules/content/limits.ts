/** Limits that both a check and its message name. */

/** Of an entry. Each is a row of `content.entry_values`, besides the one of the locale. */
export const MAX_VALUES = 5000
export const MAX_VALUE_LENGTH = 200
/** By blocks, of one list. */
export const MAX_FILTERS = 5
