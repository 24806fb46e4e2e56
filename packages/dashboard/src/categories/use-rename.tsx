import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { kontor } from '../api/client.ts'
import { saveMerged } from '../merge/save.ts'
import { useMerge } from '../merge/use-merge.tsx'
import { untilKnown } from '../outbox/until-known.ts'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import type { Node } from './tree.ts'

/** Gives a category another name. Somebody else may have done so meanwhile: then a person decides. */
export function useRename() {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { decide, sheet } = useMerge<{ name: string }>(() => t`Name`)
  const rename = async ({ id, name: before, etag }: Node, name: string) => {
    try {
      await saveMerged<{ name: string }, unknown>({
        base: { name: before },
        mine: { name },
        etag,
        write: (body, ifMatch) =>
          ask({
            operation: 'updateCategory',
            input: { path: { id }, body },
            label: t`Rename ${before} to ${name}`,
            about: [id],
            ifMatch,
          }),
        read: async () => {
          const now = await untilKnown(() => kontor.operations.getCategory({ path: { businessId: business.id, id } }))
          return { value: { name: now.name }, etag: etagOf(now) }
        },
        decide,
      })
    } catch (error) {
      toast(t`Couldn’t rename ${before}. ${wordsOf(error).what}`)
    }
  }
  return { rename, sheet }
}
