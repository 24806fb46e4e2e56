import type { Answer, Product } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { pages } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Dot } from '../../ui/status.tsx'
import { signed } from './cells.ts'
import { titleOf, variantOf } from './edits.ts'

type Event = Answer<'listEvents'>['items'][number]

const PAGE = 50

/** What happened to the product, newest first. */
export function History({ product }: { product: Product }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const format = useFormat()
  const wordsOf = useEventWords(product)
  const list = useInfiniteQuery(pages(businessId, 'listEvents', { query: { subject: product.id, limit: PAGE } }))
  const events = list.data?.pages.flatMap(({ items }) => items) ?? []
  if (list.error) return <Problem error={list.error} onRetry={() => void list.refetch()} />
  if (list.isPending) return <Bones rows={6} columns={2} bleed={false} />
  const days = Map.groupBy(events, ({ timestamp }) => format.weekday(timestamp))
  return (
    <section className="section" aria-label={t`History`}>
      <div className="timeline">
        {[...days].map(([day, items]) => (
          <div key={day} role="group" aria-label={day}>
            <p className="day">{day}</p>
            {items.map((event, index) => (
              <div key={event.id} className={`event ${index === items.length - 1 ? 'last' : ''}`}>
                <time dateTime={new Date(event.timestamp * 1_000).toISOString()} title={format.full(event.timestamp)}>
                  {format.time(event.timestamp)}
                </time>
                <span className="pin">
                  <Dot
                    fill={event.type === 'stock.low' ? 'half' : 'ring'}
                    tone={event.type === 'stock.low' ? 'alert' : 'soft'}
                  />
                </span>
                <div>{wordsOf(event)}</div>
              </div>
            ))}
          </div>
        ))}
        {events.length === 0 && <p className="soft py-3">{t`Nothing has happened yet.`}</p>}
      </div>
      {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>{t`Show what was before`}</Button>}
    </section>
  )
}

type Data = {
  fields?: string[]
  importId?: string
  variantId?: string
  quantity?: number
  changes?: { variantId: string; delta: number }[]
}

function useEventWords(product: Product) {
  const { t } = useLingui()
  const colleague = useColleagues()
  const fieldNames: Record<string, string> = {
    name: t`name`,
    slug: t`address`,
    description: t`description`,
    category: t`category`,
    taxClass: t`tax class`,
    tags: t`tags`,
    seo: t`texts for search engines`,
    translations: t`translations`,
    gallery: t`pictures`,
    variants: t`variants and prices`,
    statuses: t`status`,
    blocks: t`other details`,
  }
  const variantName = (id = '') => {
    const variant = variantOf(product, id)
    return (variant && titleOf(variant)) || id
  }
  return (event: Event): string => {
    const data = event.data as Data
    const who = (event.actorId && colleague(event.actorId)) || t`Somebody`
    switch (event.type) {
      case 'product.created':
        return data.importId ? t`Came with an import` : t`${who} added it`
      case 'product.updated':
        return data.importId
          ? t`Changed by an import`
          : t`${who} changed: ${(data.fields ?? []).map((field) => fieldNames[field] ?? field).join(', ')}`
      case 'stock.changed':
        return t`${who} changed the stock: ${(data.changes ?? [])
          .map(({ variantId, delta }) => `${variantName(variantId)} ${signed(delta)}`)
          .join(', ')}`
      case 'stock.low':
        return t`${variantName(data.variantId)} ran low: ${data.quantity ?? 0} left`
      default:
        return event.type
    }
  }
}
