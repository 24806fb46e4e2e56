import type { Answer } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { atOnce } from '../at-once.ts'
import type { Point } from './words.ts'

type Tried = Answer<'testCallout'>

/** Asks the service with a made-up cart, and shows what came, how fast, and what is wrong with it. Nothing is sold. */
export function TestCall({ point, lacks }: { point: Point; lacks: string | undefined }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [isAsking, setAsking] = useState(false)
  const [tried, setTried] = useState<Tried>()
  const [error, setError] = useState<unknown>()
  const reason = lacks ?? (isAsking ? t`Calling the service…` : undefined)
  const test = async () => {
    setAsking(true)
    setTried(undefined)
    setError(undefined)
    try {
      setTried(await atOnce(businessId, () => kontor.operations.testCallout({ path: { businessId, point } })))
    } catch (cause) {
      setError(cause)
    } finally {
      setAsking(false)
    }
  }
  useCommands([
    { id: 'test-callout', label: t`Ask it with a made-up cart`, keys: 't', icon: Play, reason, run: () => void test() },
  ])
  return (
    <section className="section test-call">
      <div className="section-head">
        <h2>{t`A test call`}</h2>
      </div>
      <p className="note">{t`It gets a made-up cart of two lines. Nothing is sold, and nothing is kept.`}</p>
      <div className="acts">
        <Button icon={Play} reason={reason} onClick={() => void test()}>{t`Ask it with a made-up cart`}</Button>
      </div>
      <div aria-live="polite" className="test-answer">
        {error !== undefined && <Problem error={error} />}
        {tried && <TestAnswer of={tried} />}
      </div>
    </section>
  )
}

function TestAnswer({ of: { isUsable, status, ms, sent, received, problems } }: { of: Tried }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const took = number(ms)
  return (
    <>
      <p className="attempt-line">
        <Status fill={isUsable ? 'full' : 'off'} tone={isUsable ? 'good' : 'alert'}>
          {isUsable ? t`Its answer can be used` : t`Its answer cannot be used`}
        </Status>
        <span className="mono">{status ?? t`no status`}</span>
        <span className="soft">
          <Trans>{took} ms</Trans>
        </span>
      </p>
      {problems.length > 0 && (
        <ul className="test-problems">
          {problems.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              {field !== '' && <code>{field}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {received !== null && received !== '' && (
        <>
          <h3>{t`What came`}</h3>
          <Shown text={received} label={t`What came`} />
        </>
      )}
      <details>
        <summary className="link">{t`What it was asked`}</summary>
        <Shown text={JSON.stringify(sent)} label={t`What it was asked`} />
      </details>
    </>
  )
}

/** JSON by lines; what is none as it is. */
const Shown = ({ text, label }: { text: string; label: string }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it may be longer than its box: keys scroll it
  <pre className="answer" tabIndex={0} aria-label={label}>
    {inLines(text)}
  </pre>
)

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
