import type { Product } from '@kontor/sdk'
import { useEffect } from 'preact/hooks'
import { Languages } from '../parts/languages.tsx'
import { Problem } from '../parts/notices.tsx'
import { Picture } from '../parts/picture.tsx'
import { ProductCard } from '../parts/product-card.tsx'
import { SafeHtml } from '../parts/safe-html.tsx'
import { useTitle } from '../parts/title.ts'
import { articleOf, dayOf, findEntry, useJournal, useLanguage } from '../state/content.ts'
import { kontor, useMarket } from '../state/kontor.ts'
import { go } from '../state/router.ts'
import { useLoad } from '../state/use-load.ts'

/** `name` is the slug of the article, or its id. */
export function EntryPage({ name }: { name: string }) {
  const journal = useJournal()
  const collectionId = journal.value?.id
  const entry = useLoad(collectionId && `entry:${name}`, () => findEntry(collectionId ?? '', name))
  const { value } = entry
  const error = journal.error ?? entry.error
  const reload = journal.error ? journal.reload : entry.reload
  const { language } = useLanguage()
  const article = value && articleOf(value, language)
  useTitle(article?.title)
  // One address for one article, however it was found.
  useEffect(() => {
    if (value && name === value.id && article && !article.href.endsWith(value.id)) go(article.href, { replace: true })
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
      <div class="list-head">
        <p class="crumb">
          <a href="/journal">Journal</a>
        </p>
        <Languages />
      </div>
      <h1>{article.title}</h1>
      <p class="byline">
        {dayOf(article.at)}
        {article.author && ` · ${article.author}`}
      </p>
      {article.image && <Picture url={article.image} alt="" isFirst />}
      {article.summary && <p class="lead">{article.summary}</p>}
      <SafeHtml html={article.html} />
      {article.productIds.length > 0 && <Mentioned ids={article.productIds} />}
    </article>
  )
}

/** Products that the entry points at. One that is gone is left out. */
function Mentioned({ ids }: { ids: string[] }) {
  const market = useMarket()
  const { value } = useLoad(`mentioned:${ids.join()}`, async () => {
    const found = await Promise.allSettled(ids.map((id) => kontor.products.get(id)))
    return found.flatMap((each): Product[] => (each.status === 'fulfilled' ? [each.value] : []))
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
