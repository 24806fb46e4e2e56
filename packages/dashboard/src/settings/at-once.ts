import { onlySeen } from '../outbox/in-name-of.ts'
import { seenAs } from '../session/see-as.ts'

/** For what must not lie in a browser, such as a new secret: it is asked now, or not at all. */
export async function atOnce<Made>(businessId: string, call: () => Promise<Made>): Promise<Made> {
  if (seenAs()?.businessId === businessId) throw onlySeen()
  return call()
}
