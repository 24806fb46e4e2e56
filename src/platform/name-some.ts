const MOST = 3

/** The first of many names, and how many there are besides: for a line that somebody is to read. */
export const nameSome = (names: readonly string[]): string =>
  names.length > MOST ? `${names.slice(0, MOST).join(', ')} and ${names.length - MOST} more` : names.join(', ')
