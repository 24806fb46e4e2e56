import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { readAgain } from './queries.ts'

/** Asks for one change at a time, and reads everything again once it is made. */
export function useAsking() {
  const { t } = useLingui()
  const [isAsked, setAsked] = useState(false)
  const [error, setError] = useState<unknown>()
  /** Whether it was done. */
  const ask = async (change: () => Promise<unknown>): Promise<boolean> => {
    setError(undefined)
    setAsked(true)
    try {
      await change()
      await readAgain()
      return true
    } catch (cause) {
      setError(cause)
      return false
    } finally {
      setAsked(false)
    }
  }
  return { ask, error, waiting: isAsked ? t`Processing…` : undefined }
}
