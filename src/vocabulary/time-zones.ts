/** A name of the IANA database, such as Europe/Berlin or UTC. A distance such as +02:00 is no zone: it knows no summer. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
