/** The API's timestamps are whole Unix seconds. */
export const toSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)
/** Of a cursor, which anybody can forge: a time that a database can compare. */
export const fromCursorMs = (ms: number): Date => new Date(Math.min(Math.max(ms, 0), 253_402_300_799_000))
export const fromSeconds = (seconds: number): Date => new Date(seconds * 1000)
