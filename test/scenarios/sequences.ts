import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../twins/stripe/random.ts'
import type { Answer } from '../support/client.ts'
import { type SeededBusiness, seedBusiness } from '../support/seed-business.ts'
import type { World } from '../support/world.ts'
import { LIVES, type Life, type Step } from './lives.ts'

const PARALLEL = 6
/** A key or a session that ended is remembered for a moment by whoever checks it. */
const FORGET_MS = 3_000

type Asked = { step: Step; answer: Answer }

/** Lives of records in two businesses with the same data, side by side. Answers what went otherwise than it should. */
export async function runSequences(
  { make }: Pick<World<'stripe'>, 'make'>,
  { count, seed }: { count: number; seed: number },
) {
  const homes = await Promise.all(['canaryone', 'canarytwo'].map((canary) => seedBusiness(make, { canary })))
  const findings = new Set<string>()
  const counts = new Map<string, number>()
  let requests = 0

  const ask = async ([what, act]: Step, foreign: string): Promise<Asked> => {
    requests++
    const answer = await act()
    if (answer.text.includes(foreign)) findings.add(`${what}: shows text of another business`)
    if (answer.status >= 500) findings.add(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
    return { step: [what, act], answer }
  }

  async function live(number: number): Promise<void> {
    const random = seededRandom(seed + number)
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    const some = <Item>(items: readonly Item[]) => items.filter(() => random() < 0.6)
    const name = pick(Object.keys(LIVES))
    const isSwapped = random() < 0.5
    const [home, other] = (isSwapped ? homes.toReversed() : homes) as [SeededBusiness, SeededBusiness]
    const begin = LIVES[name]
    if (!begin) return
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const life: Life = await begin(home, make, `s${seed}n${number}`)
    const wrong = (when: string, { step, answer }: Asked) =>
      findings.add(`${name}, ${when}, ${step[0]}: ${answer.status} ${answer.text.slice(0, 200)}`)
    const isListed = async () => {
      if (!life.listed) return undefined
      const { path, id } = life.listed
      for (let cursor = '', page = 0; page < 200; page++) {
        const { body, text } = await home.admin.get(
          `${path}${path.includes('?') ? '&' : '?'}limit=100&cursor=${cursor}`,
        )
        if (text.includes(other.canary)) findings.add(`${name}: a list shows text of another business`)
        if (body.items.some((item: { id: string }) => item.id === id)) return true
        if (body.cursor === null) return false
        // A place in one business's list is none in the other's.
        const there = path.replace(home.path, other.path)
        const moved = await ask(
          [
            'cursor',
            () => other.admin.get(`${there}${there.includes('?') ? '&' : '?'}limit=100&cursor=${body.cursor}`),
          ],
          home.canary,
        )
        if (moved.answer.status < 400) wrong('from elsewhere', moved)
        cursor = body.cursor
      }
      return false
    }
    const attack = async () => {
      for (const step of some(life.tries(other))) {
        const asked = await ask(step, home.canary)
        if (asked.answer.status < 400) wrong('from elsewhere', asked)
      }
    }

    for (const step of some(life.uses)) {
      const asked = await ask(step, other.canary)
      if (asked.answer.status >= 400) wrong('while it is there', asked)
    }
    await attack()
    if (random() < 0.3 && (await isListed()) === false) findings.add(`${name}: is not listed while it is there`)
    const ended = await ask(['end', life.end], other.canary)
    if (ended.answer.status >= 400) return void wrong('at its end', ended)
    for (const step of some(life.refused)) {
      let asked = await ask(step, other.canary)
      const until = performance.now() + (name === 'apiKey' || name === 'session' ? FORGET_MS : 0)
      while (asked.answer.status < 400 && performance.now() < until) {
        await sleep(50)
        asked = await ask(step, other.canary)
      }
      if (asked.answer.status < 400) wrong('when it is gone', asked)
    }
    await attack()
    if (random() < 0.3 && (await isListed()) === true) findings.add(`${name}: is listed when it is gone`)
  }

  const numbers = Array.from({ length: count }, (_, index) => index).values()
  const work = async () => {
    for (const number of numbers) {
      await live(number).catch((error: Error) => findings.add(`sequence ${number}: ${error.message.slice(0, 300)}`))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return { findings: [...findings], counts, requests }
}
