/** The API's timestamps are whole Unix seconds. */
export const toSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)
export const fromSeconds = (seconds: number): Date => new Date(seconds * 1000)
