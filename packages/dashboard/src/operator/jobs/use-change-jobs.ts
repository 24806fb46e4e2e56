import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { readAgain } from '../queries.ts'
import type { ChangedJobs } from '../types.ts'

/** Some of a kind, of a cell or of a business. */
export type Which = { name?: string; cell?: string; businessId?: string }

const awayOf = (cells: ChangedJobs['cells']) =>
  cells
    .filter(({ isAnswering }) => !isAnswering)
    .map(({ cell }) => cell)
    .join(', ')

/** Runs dead jobs again, or does away with them. What came of it is said; what is refused is said, too. */
export function useChangeJobs() {
  const { t } = useLingui()
  const words = useProblem()
  const [isAsked, setAsked] = useState(false)
  const { retryJob, retryJobs, discardJob, discardJobs } = kontor.operations

  const retried = ({ changed, isComplete, cells }: ChangedJobs) => {
    const away = awayOf(cells)
    if (away) return t`${changed} run again. Those of cell ${away} are as they were: it does not answer.`
    if (!isComplete) return t`${changed} run again. There are more: press once more.`
    if (changed === 0) return t`None of them is dead any more.`
    return changed === 1 ? t`It runs again.` : t`${changed} run again.`
  }
  const retry = async (call: () => Promise<ChangedJobs>) => {
    setAsked(true)
    try {
      toast(retried(await call()))
    } catch (error) {
      const { title, what } = words(error)
      toast(`${title} ${what}`, { fill: 'off' })
    } finally {
      setAsked(false)
      await readAgain()
    }
  }
  /** The service takes a thousand at a time; a person who said all means all. */
  const discard = async (call: () => Promise<ChangedJobs>) => {
    let all = 0
    for (;;) {
      const { changed, isComplete, cells } = await call()
      all += changed
      const away = awayOf(cells)
      if (away) toast(t`${all} discarded. Those of cell ${away} are as they were: it does not answer.`)
      else if (isComplete || changed === 0) toast(all === 1 ? t`Discarded.` : t`${all} discarded.`)
      else continue
      return readAgain()
    }
  }
  return {
    /** Why nothing can be pressed now. */
    reason: isAsked ? t`Processing…` : undefined,
    retryOne: (id: string) => retry(() => retryJob({ path: { id } })),
    retryAll: (body: Which) => retry(() => retryJobs({ body })),
    discardOne: (id: string) => discard(() => discardJob({ path: { id } })),
    discardAll: (body: Which) => discard(() => discardJobs({ body })),
  }
}
