import { useLingui } from '@lingui/react/macro'
import { useAsk } from '../outbox/use-outbox.ts'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import type { ProductStatus } from './filters.ts'
import type { Listed } from './listed.ts'
import { STATUS_WORDS } from './words.tsx'

/** Sets the status of each of these products. A status that it has already is not written again. */
export function useSetStatus() {
  const { t, i18n } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  return async (products: readonly Listed[], status: ProductStatus) => {
    const word = i18n._(STATUS_WORDS[status])
    const outcomes = await Promise.allSettled(
      products
        .filter((product) => product.status !== status)
        .map(({ id, name }) =>
          ask({
            operation: 'updateProduct',
            input: { path: { id }, body: { statuses: [{ status }] } },
            label: t`${name}: ${word}`,
            about: [id],
          }),
        ),
    )
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    const count = outcomes.length - failed.length
    toast(
      failed.length === 0
        ? t`${count} changed: ${word}.`
        : t`${count} changed, ${failed.length} not: ${wordsOf(failed[0]?.reason).what}`,
    )
  }
}
