import type { KontorError } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { recall, remember, useLoad } from './use-load.ts'

type Page<Item> = { items: Item[]; cursor: string | null }
type Growing<Item> = Page<Item> & { pages: number }

/** A list that grows page by page. Coming back to it shows as many pages as before. */
export function usePages<Item>(key: string | undefined, load: (cursor: string | undefined) => PromiseLike<Page<Item>>) {
  const [growth, setGrowth] = useState<{ isGrowing: boolean; error?: KontorError }>({ isGrowing: false })
  const first = useLoad<Growing<Item>>(key, async () => {
    const before = key === undefined ? undefined : (recall(key) as Growing<Item> | undefined)
    if (before && before.pages > 1) return before
    return { ...(await load(undefined)), pages: 1 }
  })

  async function more() {
    const list = key === undefined ? undefined : (recall(key) as Growing<Item> | undefined)
    if (key === undefined || !list?.cursor || growth.isGrowing) return
    setGrowth({ isGrowing: true })
    try {
      const next = await load(list.cursor)
      remember(key, { items: [...list.items, ...next.items], cursor: next.cursor, pages: list.pages + 1 })
      setGrowth({ isGrowing: false })
      first.reload()
    } catch (error) {
      setGrowth({ isGrowing: false, error: error as KontorError })
    }
  }

  const shown = (key === undefined ? undefined : (recall(key) as Growing<Item> | undefined)) ?? first.value
  return {
    ...first,
    items: shown?.items,
    hasMore: Boolean(shown?.cursor),
    more,
    ...growth,
    growError: growth.error,
    error: first.error,
  }
}
