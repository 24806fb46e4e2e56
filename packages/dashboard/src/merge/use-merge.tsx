import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { MergeSheet as Sheet } from './merge-sheet.tsx'
import type { Merged } from './three-way.ts'

/** Seldom needed. */
const MergeSheet = lazy(() =>
  import('./merge-sheet.tsx').then(({ MergeSheet }) => ({ default: MergeSheet })),
) as unknown as typeof Sheet

type Waiting<Value> = { merged: Merged<Value>; answer: (value: Value | undefined) => void }

/** `decide` for `saveMerged`, and the sheet in which a person does it. */
export function useMerge<Value extends object>(
  nameOf: (field: keyof Value & string) => string,
  show?: (value: unknown, field: keyof Value & string) => ReactNode,
) {
  const [waiting, setWaiting] = useState<Waiting<Value>>()
  const decide = (merged: Merged<Value>) =>
    new Promise<Value | undefined>((resolve) => {
      const answer = (value: Value | undefined) => {
        setWaiting(undefined)
        resolve(value)
      }
      setWaiting({ merged, answer })
    })
  const sheet = waiting && (
    <Suspense>
      <MergeSheet merged={waiting.merged} nameOf={nameOf} onDecide={waiting.answer} {...(show && { show })} />
    </Suspense>
  )
  return { decide, sheet }
}
