import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useFormat } from '../session/use-format.ts'
import type { Import } from './types.ts'
import { useWords } from './use-words.ts'

/** How many lines do what, that it adds up, and what to look at first. */
export function Tally({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { warningOf } = useWords()
  const isTry = one.status === 'READY'
  const sum = one.created + one.updated + one.unchanged + one.skipped + one.failed
  return (
    <>
      <dl className="figures tally">
        <Figure name={isTry ? t`Will be made` : t`Made`} value={number(one.created)}>{t`new products`}</Figure>
        <Figure
          name={isTry ? t`Will change` : t`Changed`}
          value={number(one.updated)}
        >{t`products that are there`}</Figure>
        <Figure name={t`Stay as they are`} value={number(one.unchanged)}>{t`they are so already`}</Figure>
        {one.skipped > 0 && (
          <Figure name={t`Left alone`} value={number(one.skipped)} tone="wait-text">
            {one.status === 'STOPPED' ? t`not reached` : t`changed by somebody since`}
          </Figure>
        )}
        <Figure name={t`Wrong`} value={number(one.failed)} tone={one.failed > 0 ? 'alert-text' : ''}>
          {isTry ? t`left out unless corrected` : t`left out`}
        </Figure>
        <Figure name={t`Together`} value={number(one.total)}>
          {sum === one.total && <span className="good-text">{t`adds up`}</span>}
        </Figure>
      </dl>
      {one.warnings.length > 0 && (
        <ul className="look-first" aria-label={t`Look first`}>
          {one.warnings.map(({ code, count }) => (
            <li key={code}>
              <b className="wait-text strong">{number(count)}</b> {warningOf(code)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const Figure = (props: { name: string; value: string; tone?: string; children: ReactNode }) => (
  <div className="figure">
    <dt>{props.name}</dt>
    <dd className={`value ${props.tone ?? ''}`}>{props.value}</dd>
    <dd className="delta">{props.children}</dd>
  </div>
)
