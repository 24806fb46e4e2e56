import { createPeople } from '../support/people.ts'
import type { World } from '../support/world.ts'

const WRONG = 'wrong horse battery staple'

/**
 * Fails a login for a known and an unknown address in each round, one at a time. Returns how long each took, and the processor time
 * of this process, which includes the API: nothing else on the machine adds to it.
 */
export async function failLogins(
  { api, forgetAttempts }: Pick<World, 'api' | 'forgetAttempts'>,
  { rounds, note = () => {} }: { rounds: number; note?: (text: string) => void },
) {
  const people = createPeople(api)
  const { email } = await people.person()
  const cost = { known: { ms: [] as number[], processorMs: 0 }, unknown: { ms: [] as number[], processorMs: 0 } }
  async function fail(kind: keyof typeof cost, address: string, isMeasured: boolean): Promise<void> {
    await forgetAttempts()
    const [start, used] = [performance.now(), process.cpuUsage()]
    const { status } = await people.login(address, WRONG)
    const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(used)]
    if (status !== 422) throw new Error(`${status} instead of 422`)
    if (!isMeasured) return
    cost[kind].ms.push(ms)
    cost[kind].processorMs += (user + system) / 1_000
  }
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    const both = [
      () => fail('known', email, round >= 0),
      () => fail('unknown', `nobody${round}@example.com`, round >= 0),
    ]
    // The order changes, so that neither always follows the other.
    for (const one of round % 2 === 0 ? both : both.toReversed()) await one()
    if (round % 100 === 99) note(`${round + 1} of ${rounds}`)
  }
  return cost
}
