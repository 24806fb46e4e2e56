import { useLingui } from '@lingui/react/macro'
import { useCallback, useEffect, useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { isLost } from '../../outbox/is-lost.ts'
import { outboxStore } from '../../outbox/outbox.ts'
import { readEntries } from '../../outbox/store.ts'
import { useAsk, useOutbox, useRefused } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useSigned } from '../../session/use-signed.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { keyOf, type Level } from '../level.ts'
import { signed } from '../statement/difference.ts'
import { bringIn, type World } from './bring-in.ts'
import { type Count, type Item, itemOf } from './count.ts'
import { lookUp, readFresh } from './read-levels.ts'
import { deleteCount, deleteDue, readCounts, readDue, writeCount, writeDue } from './store.ts'

const AGAIN_MS = 5_000

/** What this person has counted here and not yet brought in; it is kept in the browser. */
export function useCounts() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const userId = useSigned()?.userId ?? ''
  const [counts, setCounts] = useState<readonly Count[]>([])
  const [isRead, setRead] = useState(false)
  const mine = useRef(counts)
  const change = (next: readonly Count[]) => {
    mine.current = next.toSorted((a, b) => b.startedAt - a.startedAt)
    setCounts(mine.current)
  }
  useEffect(() => {
    let isGone = false
    void readCounts()
      .catch(() => [])
      .then(async (kept) => {
        if (isGone) return
        const own = kept.filter((count) => count.userId === userId && count.businessId === businessId)
        const open = await withoutAnswered(own)
        if (isGone) return
        change(open)
        setRead(true)
      })
    return () => {
      isGone = true
    }
  }, [businessId, userId])
  /** While they are being looked at and asked for, nobody changes them. */
  const hold = useCallback((held: readonly Pick<Count, 'id'>[], isAsked: boolean) => {
    const ids = new Set(held.map(({ id }) => id))
    change(mine.current.map((count) => (ids.has(count.id) ? { ...count, isAsked } : count)))
  }, [])
  const keep = useCallback(async (count: Count) => {
    change([...mine.current.filter(({ id }) => id !== count.id), count])
    await writeCount(count).catch(() => toast(t`This browser keeps nothing: bring the count in before you leave.`))
  }, [])
  const drop = useCallback(async (gone: readonly Pick<Count, 'id'>[]) => {
    const ids = new Set(gone.map(({ id }) => id))
    change(mine.current.filter(({ id }) => !ids.has(id)))
    await Promise.all([...ids].map((id) => deleteCount(id).catch(() => {})))
  }, [])
  const add = (text: string, level: Level | undefined) => {
    const open = mine.current.filter(({ isAsked, isReleased }) => !isAsked && !isReleased)
    const known = open.find((count) =>
      level && count.level ? keyOf(count.level) === keyOf(level) : count.text.toLowerCase() === text.toLowerCase(),
    )
    // Scanned once more: one piece more.
    if (known) return keep({ ...known, counted: known.counted + 1, startedAt: Date.now() })
    const id = crypto.randomUUID()
    return keep({ id, userId, businessId, text, level, counted: 1, startedAt: Date.now() })
  }
  return { counts, current: mine, isRead, hold, keep, drop, add }
}

/** What the outbox had, and has no more, was answered while nobody looked here. As it is stored: it may not be open yet. */
async function withoutAnswered(counts: readonly Count[]): Promise<readonly Count[]> {
  const entries = await readEntries().catch(() => undefined)
  if (!entries) return counts
  const known = new Set(entries.flatMap(({ about }) => about))
  const isAnswered = ({ id, isAsked }: Count) => isAsked === true && !known.has(id)
  await Promise.all(counts.filter(isAnswered).map(({ id }) => deleteCount(id).catch(() => {})))
  return counts.filter((count) => !isAnswered(count))
}

type Counts = ReturnType<typeof useCounts>

/** Brings counts in: at once, or as soon as the line is back. */
export function useBringIn({ current, isRead, hold, keep, drop }: Counts) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const userId = useSigned()?.userId ?? ''
  const ask = useAsk()
  const wordsOf = useProblem()
  const waiting = useOutbox()
  const refused = useRefused()
  const dueId = `${businessId}/${userId}`
  const [due, setDue] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const busy = useRef(false)
  const asked = new Set(waiting.flatMap(({ about }) => about))
  useEffect(() => {
    void readDue(dueId)
      .catch(() => undefined)
      .then((kept) => setDue(kept?.reason))
  }, [dueId])

  const world = (reason: string): World => ({
    lookUp: (text) => lookUp(businessId, text),
    readFresh: (ids) => readFresh(businessId, ids),
    isCountedSince: async ({ productId, variantId, number }) => {
      const path = { businessId, id: productId, variantId }
      const { items } = await kontor.operations.listStockMovements({ path, query: { limit: 100 } })
      return items.some((movement) => movement.kind === 'COUNT' && movement.number > number)
    },
    ask: async (counts) => {
      const items = counts.map(itemOf).filter((item): item is Item => item !== undefined)
      const about = counts.map(({ id }) => id)
      const asking = ask({
        operation: 'createStocktake',
        input: { body: { items, reason: reason.trim() || null } },
        label: t`Bring in ${counts.length} counts`,
        about,
      })
      // Noted once the outbox has it: a page that is closed before that has asked nothing.
      const stop = outboxStore.subscribe(() => {
        if (!outboxStore.get().some((entry) => entry.about.includes(about[0] ?? ''))) return
        stop()
        for (const count of counts) void keep({ ...count, isAsked: true })
      })
      return asking.finally(stop)
    },
    keep: (count) => keep({ ...count, isAsked: false, isReleased: false }),
    drop,
  })

  const forget = async () => {
    setDue(undefined)
    await deleteDue(dueId).catch(() => {})
  }
  const isOpen = ({ id, isAsked, trouble }: Count) => !isAsked && !trouble && !asked.has(id)
  /** Brings in all that is open; again without a person, only what they had released. */
  const start = async (reason: string, { isAgain = false } = {}) => {
    if (busy.current) return
    busy.current = true
    setBusy(true)
    setDue(reason)
    await writeDue({ id: dueId, reason }).catch(() => {})
    if (!isAgain) for (const count of current.current.filter(isOpen)) await keep({ ...count, isReleased: true })
    const open = current.current.filter((count) => isOpen(count) && count.isReleased)
    hold(open, true)
    try {
      const { variants, changed, delta } = await bringIn(open, world(reason))
      await forget()
      if (variants > 0)
        toast(
          changed === 0 ? t`All is as the book says.` : t`Brought in: ${changed} corrected, ${signed(delta)} pieces.`,
        )
    } catch (error) {
      if (!isLost(error)) {
        await forget()
        for (const count of current.current.filter(({ isReleased }) => isReleased))
          await keep({ ...count, isReleased: false })
        toast(t`Couldn’t submit the count. ${wordsOf(error).what}`)
      }
    } finally {
      const waits = new Set(outboxStore.get().flatMap(({ about }) => about))
      hold(
        open.filter(({ id }) => !waits.has(id)),
        false,
      )
      busy.current = false
      setBusy(false)
    }
  }
  useEffect(() => {
    if (due === undefined || !isRead || isBusy) return undefined
    const again = () => {
      if (navigator.onLine) void start(due, { isAgain: true })
    }
    const timer = setInterval(again, AGAIN_MS)
    addEventListener('online', again)
    return () => {
      clearInterval(timer)
      removeEventListener('online', again)
    }
  }, [due, isRead, isBusy])
  // What an earlier page had asked is answered now, or was refused and is open again.
  useEffect(
    () =>
      outboxStore.onResumed(({ entry, error }) => {
        if (error === undefined) void drop(entry.about.map((id) => ({ id })))
      }),
    [drop],
  )
  useEffect(() => {
    const back = new Set(refused.flatMap(({ about }) => about))
    for (const count of current.current)
      if (count.isAsked && back.has(count.id)) void keep({ ...count, isAsked: false })
  }, [refused])
  return { start, isBusy, isDue: due !== undefined, isAsked: (count: Count) => count.isAsked || asked.has(count.id) }
}
