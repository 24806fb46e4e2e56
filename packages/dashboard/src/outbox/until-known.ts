import { isLost } from './is-lost.ts'
import { pauseBefore } from './pause.ts'

/** Longer than a tunnel; then a person is told. */
const MOST_ATTEMPTS = 8

/** Reads for a save that is under way: a lost answer is asked for again, so that it does not end the save. */
export async function untilKnown<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (!isLost(error) || attempt === MOST_ATTEMPTS) throw error
      await pauseBefore(attempt)
    }
  }
}
