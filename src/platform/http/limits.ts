/** Limits that both a check and its message name. */
export const MAX_JSON_DEPTH = 32
export const MAX_KEY_LENGTH = 255
