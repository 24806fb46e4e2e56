import type { PublicProduct } from '@kontor/sdk'
import { useEffect } from 'preact/hooks'
import { Problem } from '../parts/notices.tsx'
import { Picture } from '../parts/picture.tsx'
import { ProductCard } from '../parts/product-card.tsx'
import { SafeHtml } from '../parts/safe-html.tsx'
import { useTitle } from '../parts/title.ts'
import { articleOf, dayOf, findEntry, useJournal } from '../state/content.ts'
import { kontor, useLanguage, useMarket, useView } from '../state/kontor.ts'
import { go, usePlace } from '../state/router.ts'
import { useLoad } from '../state/use-load.ts'

/** `name` is the slug of the article, or its id. */
export function EntryPage({ name }: { name: string }) {
  const journal = useJournal()
  const collectionId = journal.value?.found?.id
  // A writer looks at what is not published yet.
  const preview = usePlace().query.get('preview')
  const entry = useLoad(collectionId && `entry:${name}:${preview ?? ''}`, () =>
    findEntry(collectionId ?? '', name, preview),
  )
  const { value } = entry
  const error = journal.error ?? entry.error
  const reload = journal.error ? journal.reload : entry.reload
  const { language } = useLanguage()
  const article = value && articleOf(value, language)
  useTitle(article?.title)
  // One address for one article, however it was found.
  useEffect(() => {
    if (!preview && value && name === value.id && article && !article.href.endsWith(value.id))
      go(article.href, { replace: true })
  }, [article?.href])
  if (error && !article) return <Problem error={error} retry={reload} />
  if (!article) {
    return (
      <div class="wrap section article" aria-busy="true">
        <span class="bar tall" />
        <span class="picture waiting wide" />
        <span class="bar" />
        <span class="bar" />
      </div>
    )
  }
  return (
    <article class="wrap section article" lang={article.locale}>
      <p class="crumb">
        <a href="/journal">Journal</a>
      </p>
      {preview && (
        <p class="remark" role="status">
          A preview of what is not published yet. This link works for an hour.
        </p>
      )}
      <h1>{article.title}</h1>
      <p class="byline">
        {dayOf(article.at)}
        {article.author && ` · ${article.author}`}
      </p>
      {article.image && <Picture media={article.image} alt="" isFirst sizes="(min-width: 48rem) 44rem, 100vw" />}
      {article.summary && <p class="lead">{article.summary}</p>}
      <SafeHtml html={article.html} />
      {article.productIds.length > 0 && <Mentioned ids={article.productIds} />}
    </article>
  )
}

/** Products that the entry points at. One that is gone is left out. */
function Mentioned({ ids }: { ids: string[] }) {
  const market = useMarket()
  const view = useView()
  const { value } = useLoad(view && `mentioned:${ids.join()}:${JSON.stringify(view)}`, async () => {
    const found = await Promise.allSettled(ids.map((id) => kontor.storefront.products.get(id, view)))
    return found.flatMap((each): PublicProduct[] => (each.status === 'fulfilled' ? [each.value] : []))
  })
  if (!value?.length) return null
  return (
    <aside>
      <h2>In this story</h2>
      <ul class="grid">
        {value.map((product) => (
          <ProductCard key={product.id} product={product} market={market} />
        ))}
      </ul>
    </aside>
  )
}
