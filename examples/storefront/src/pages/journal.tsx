import type { PublicEntry } from '@kontor/sdk'
import { FormProblem, Notice, Problem, wordsOf } from '../parts/notices.tsx'
import { Picture } from '../parts/picture.tsx'
import { useTitle } from '../parts/title.ts'
import { articleOf, dayOf, useJournal } from '../state/content.ts'
import { kontor, useLanguage } from '../state/kontor.ts'
import { usePlace } from '../state/router.ts'
import { usePages } from '../state/use-pages.ts'

export function JournalPage() {
  const hasSubscribed = usePlace().query.has('subscribed')
  const journal = useJournal()
  const found = journal.value?.found
  const collectionId = found?.id
  useTitle(found?.name ?? 'Journal')
  const list = usePages<PublicEntry>(collectionId && `entries:${collectionId}`, (cursor) =>
    kontor.storefront.entries.list({ collectionId, limit: 12, cursor }),
  )
  const error = journal.error ?? list.error
  const isNone = journal.value !== undefined && !found
  if (error && !list.items) return <Problem error={error} retry={journal.error ? journal.reload : list.reload} />
  return (
    <div class="wrap section">
      <div class="list-head">
        <h1>{found?.name ?? 'Journal'}</h1>
      </div>
      {found?.description && <p class="remark">{found.description}</p>}
      {hasSubscribed && (
        <p class="remark" role="status">
          Thank you. Your subscription begins as soon as the payment has arrived.
        </p>
      )}
      {isNone || list.items?.length === 0 ? (
        <Notice isPart title="Nothing written yet" action={{ href: '/shop', label: 'To the shop' }} />
      ) : (
        <ul class="articles" aria-busy={!list.items}>
          {list.items?.map((entry) => <Article key={entry.id} entry={entry} />) ??
            [1, 2, 3].map((each) => (
              <li key={each} aria-hidden="true">
                <span class="picture waiting" />
                <span class="bar tall" />
                <span class="bar" />
              </li>
            ))}
        </ul>
      )}
      {list.growError && <FormProblem>{wordsOf(list.growError)}</FormProblem>}
      {list.hasMore && (
        <p class="more">
          <button class="button quiet" type="button" disabled={list.isGrowing} onClick={() => void list.more()}>
            Show more
          </button>
        </p>
      )}
    </div>
  )
}

function Article({ entry }: { entry: PublicEntry }) {
  const { href, title, summary, image, at, locale } = articleOf(entry, useLanguage().language)
  return (
    <li lang={locale}>
      <a href={href}>
        <Picture media={image} alt="" sizes="(min-width: 60rem) 24rem, 100vw" />
        <small>{dayOf(at)}</small>
        <h2>{title}</h2>
        {summary && <p>{summary}</p>}
      </a>
    </li>
  )
}
