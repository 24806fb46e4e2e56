import { setTimeout as sleep } from 'node:timers/promises'

/** Asks again and again until the answer is truthy, and fails with a sentence when that takes too long. */
export async function until<Value>(
  what: string,
  ask: () => Value | Promise<Value>,
  { withinMs = 20_000, everyMs = 20 }: { withinMs?: number; everyMs?: number } = {},
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain until ${what}`)
    await sleep(everyMs)
  }
}
