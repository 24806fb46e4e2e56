import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useFormat } from '../../session/use-format.ts'
import { Dot, type Fill, type Tone } from '../../ui/status.tsx'
import type { Part } from '../search.ts'
import type { Send } from '../types.ts'
import { usePartWords } from '../words.tsx'

const route = getRouteApi('/signed-in/$business/letters/$entry/sends/$send')

const DOTS: Record<Part, { fill: Fill; tone: Tone }> = {
  sent: { fill: 'full', tone: 'act' },
  failed: { fill: 'full', tone: 'alert' },
  suppressed: { fill: 'off', tone: 'soft' },
  uncertain: { fill: 'unknown', tone: 'wait' },
  planned: { fill: 'ring', tone: 'soft' },
}

const PARTS = Object.keys(DOTS) as Part[]

/** All parts are of one answer of the service, so they add up whenever they are drawn. */
export function Balance({ of: send }: { of: Send }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const words = usePartWords()
  const { show, email } = route.useSearch()
  const sum = PARTS.reduce((total, part) => total + send[part], 0)
  const isWhole = sum === send.total
  const spoken = PARTS.map((part) => `${words[part].name}: ${number(send[part])}`).join(', ')
  const all = number(send.total)
  return (
    <section className="balance-of page" aria-label={t`What became of all readers`}>
      <div className="balance" role="img" aria-label={t`${spoken}; together ${all}`}>
        {send.total === 0 ? (
          <span className="planned" />
        ) : (
          PARTS.filter((part) => send[part] > 0).map((part) => (
            <span
              key={part}
              className={part}
              title={`${words[part].name}: ${number(send[part])}`}
              style={{ flexGrow: send[part] }}
            />
          ))
        )}
      </div>
      <div className="sum-line" data-total={send.total} data-sum={sum}>
        {PARTS.map((part) => (
          <route.Link
            key={part}
            to="."
            search={{ show: part }}
            aria-current={part === show && !email ? 'true' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
            className={part}
            resetScroll={false}
          >
            <span className="status">
              <Dot {...DOTS[part]} />
              {words[part].name}
            </span>
            <span className="value" data-count={send[part]}>
              {number(send[part])}
            </span>
            <span className="note">{words[part].note}</span>
          </route.Link>
        ))}
        <div className="total">
          <span className="soft">{t`Readers`}</span>
          <span className="value">{all}</span>
          <span className={isWhole ? 'note good-text' : 'note alert-text'}>
            {isWhole ? t`adds up` : t`does not add up`}
          </span>
        </div>
      </div>
    </section>
  )
}
