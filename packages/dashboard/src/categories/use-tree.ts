import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { kontor, queryClient } from '../api/client.ts'
import { saveMerged } from '../merge/save.ts'
import { useMerge } from '../merge/use-merge.tsx'
import { untilKnown } from '../outbox/until-known.ts'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useIsShown } from '../ui/use-is-shown.ts'
import { useLatest } from '../ui/use-latest.ts'
import { carryOn, type Move, queueMove, useQueuedMoves } from './moves.ts'
import { treeQuery } from './queries.ts'
import { isAt, type Node, type Place, treeOf, withMove } from './tree.ts'

/** The tree as it will be once what was moved is done, and a way to move. */
export function useTree() {
  const { t } = useLingui()
  const business = useBusiness()
  const read = useQuery(treeQuery(business.id))
  const { name, moves } = useQueuedMoves(business.id)
  const items = useMemo(
    () => moves.reduce<readonly Node[]>((list, move) => withMove(list, move.id, move), read.data?.items ?? []),
    [read.data, moves],
  )
  const tree = useMemo(() => treeOf(items), [items])
  const nameOf = (id: unknown) => (typeof id === 'string' ? (tree.nodes.get(id)?.name ?? id) : t`The top level`)
  const { decide, sheet } = useMerge<{ parentId: string | null }>(() => t`Place of ${moves[0]?.name ?? ''}`, nameOf)
  const carry = useLatest(useCarry(decide))
  useEffect(() => void carryOn(name, carry), [name, carry])

  const move = (id: string, place: Place) => {
    const node = tree.nodes.get(id)
    if (!node || isAt(tree, id, place)) return
    const { parentId, beforeId } = place
    const { parentId: fromId, etag } = node
    queueMove(name, { key: crypto.randomUUID(), id, name: node.name, parentId, beforeId, fromId, etag }, carry)
  }
  const waiting = useMemo(() => new Set(moves.map(({ id }) => id)), [moves])
  return { ...read, tree, move, waiting, sheet, nameOf }
}

/** Asks for one move until its answer is known. If somebody else put it elsewhere meanwhile, a person decides. */
function useCarry(decide: ReturnType<typeof useMerge<{ parentId: string | null }>>['decide']) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const isShown = useIsShown()
  return async ({ id, name, parentId, beforeId, fromId, etag }: Move) => {
    // Our own moves before this one may have changed its version.
    const known = queryClient.getQueryData(treeQuery(business.id).queryKey)?.items.find((node) => node.id === id)
    try {
      await saveMerged<{ parentId: string | null }, unknown>({
        base: { parentId: fromId },
        mine: { parentId },
        etag: known?.parentId === fromId ? known.etag : etag,
        write: async (decided, ifMatch) => {
          if (decided.parentId !== parentId) return toast(t`Couldn’t undo the move of ${name}. Someone else moved it.`)
          const body = { parentId, beforeId }
          const input = { path: { id }, body }
          return ask({ operation: 'moveCategory', input, label: t`Move ${name}`, about: [id], ifMatch })
        },
        read: async () => {
          const now = await untilKnown(() => kontor.operations.getCategory({ path: { businessId: business.id, id } }))
          return { value: { parentId: now.parentId }, etag: etagOf(now) }
        },
        decide: async (merged) => {
          if (isShown.current) return decide(merged)
          toast(t`Couldn’t move ${name}. Someone else moved it.`)
          return undefined
        },
      })
    } catch (error) {
      toast(t`Couldn’t move ${name}. ${wordsOf(error).what}`)
    }
  }
}
