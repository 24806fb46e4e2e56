import { blockText, blockValue, type Media } from '@kontor/sdk'
import { notFound } from 'next/navigation'
import { readArticle } from '../../../../lib/catalog.ts'
import { describePage, openPage, type Params } from '../../../../lib/page.ts'
import { Breadcrumbs } from '../../../../parts/breadcrumbs.tsx'
import { Frame } from '../../../../parts/frame.tsx'
import { Picture } from '../../../../parts/picture.tsx'

async function openArticle(params: Params<'slug'>['params']) {
  const page = await openPage(params)
  const { slug } = await params
  const article = await readArticle(slug)
  if (!article) notFound()
  const text = (id: string) => blockText(article.blocks, id, page.locale)
  const path = `/${page.locale}/journal/${slug}`
  // An article is written in one language. Its address in others is for those who came from there.
  return { page, article, text, path, paths: { [article.locale]: `/${article.locale}/journal/${slug}` } }
}

export async function generateMetadata({ params }: Params<'slug'>) {
  const { page, article, text, paths } = await openArticle(params)
  const image = blockValue<Media>(article.blocks, 'cover')?.url
  return describePage(page, { title: text('title'), description: text('summary'), paths, image, isArticle: true })
}

export default async function ArticlePage({ params }: Params<'slug'>) {
  const { page, article, text, path, paths } = await openArticle(params)
  const { locale, words } = page
  return (
    <Frame page={page} paths={paths}>
      <article className="wrap section reading" lang={article.locale}>
        <Breadcrumbs
          crumbs={[
            { name: words.home, path: `/${locale}` },
            { name: words.journal, path: `/${locale}/journal` },
            { name: text('title'), path },
          ]}
        />
        <h1>{text('title')}</h1>
        <p className="lead">{text('summary')}</p>
        <Picture
          media={blockValue<Media>(article.blocks, 'cover')}
          alt=""
          isFirst
          sizes="(min-width: 48rem) 44rem, 100vw"
        />
        {/* The service cleans rich text when it is written: no scripts, no styles, no other hosts' frames. */}
        <div className="prose" dangerouslySetInnerHTML={{ __html: text('body') }} />
      </article>
    </Frame>
  )
}
