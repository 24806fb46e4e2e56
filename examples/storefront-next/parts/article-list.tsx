import { blockText, blockValue, type Media, type PublicEntry } from '@kontor/sdk'
import { Picture } from './picture.tsx'

export const ArticleList = ({ locale, articles }: { locale: string; articles: readonly PublicEntry[] }) => (
  <ul className="articles">
    {articles.map(({ id, blocks, locale: language }) => (
      <li key={id} lang={language}>
        <a className="card" href={`/${locale}/journal/${blockText(blocks, 'slug', locale)}`}>
          <Picture media={blockValue<Media>(blocks, 'cover')} alt="" sizes="(min-width: 56rem) 24rem, 100vw" />
          <span className="card-name">{blockText(blocks, 'title', locale)}</span>
          <span className="soft">{blockText(blocks, 'summary', locale)}</span>
        </a>
      </li>
    ))}
  </ul>
)
