import './checks.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { Play, Square } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../api/client.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { atOnce } from '../settings/at-once.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Status } from '../ui/status.tsx'
import { When } from '../ui/time.tsx'
import { ExampleRow } from './example-row.tsx'
import { type CheckedRule, type Checks, checksQuery, useChecks } from './queries.ts'
import { AREAS } from './words.ts'

/** Whether the books balance, rule by rule: what is broken first, with its rows. */
export function ChecksPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { data, error, refetch } = useChecks(business.id)
  const steer = useSteer()
  const broken = data?.items.filter(({ holds }) => holds === false) ?? []
  return (
    <>
      <Head title={t`Checks`}>
        {data?.run ? (
          <Button icon={Square} disabled={steer.isBusy} onClick={steer.stop}>{t`Stop`}</Button>
        ) : (
          <Button
            look="main"
            icon={Play}
            disabled={steer.isBusy || data?.canRunAt != null}
            onClick={steer.start}
          >{t`Check now`}</Button>
        )}
      </Head>
      <div className="page form-page checks">
        {steer.error !== undefined && <Problem error={steer.error} />}
        {error && !data ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Bones rows={6} columns={2} bleed={false} />
        ) : (
          <>
            <Summary of={data} broken={broken.length} />
            {data.run && <Progress of={data.run} />}
            {broken.map((rule) => (
              <BrokenRule key={rule.rule} of={rule} />
            ))}
            <AllRules items={data.items.filter(({ holds }) => holds !== false)} isChecked={data.finishedAt !== null} />
          </>
        )}
      </div>
    </>
  )
}

function useSteer() {
  const { id: businessId } = useBusiness()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async (operation: 'startChecks' | 'stopChecks') => {
    setBusy(true)
    setError(undefined)
    try {
      const call = () => kontor.operations[operation]({ path: { businessId } })
      client.setQueryData(checksQuery(businessId).queryKey, await atOnce(businessId, call))
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, start: () => void run('startChecks'), stop: () => void run('stopChecks') }
}

function Summary({ of: { finishedAt, items, canRunAt, run }, broken }: { of: Checks; broken: number }) {
  const { t } = useLingui()
  const format = useFormat()
  const at = finishedAt === null ? null : format.full(finishedAt)
  const next = canRunAt === null || run ? '' : t`You can check again at ${format.full(canRunAt)}.`
  const [all, looked] = [items.length, items.filter(({ holds }) => holds !== null).length]
  const missing = looked < all && (
    <Plural value={all - looked} one="# rule could not be looked at." other="# rules could not be looked at." />
  )
  if (at === null)
    return (
      <Notice tone="calm" title={t`Not checked yet.`}>
        {t`The books are checked every night by themselves. A check changes nothing.`}
      </Notice>
    )
  if (broken === 0)
    return (
      <Notice tone="calm" title={missing ? t`Nothing wrong was found.` : t`The books balance.`}>
        {missing
          ? t`${looked} of ${all} rules were looked at, last on ${at}.`
          : t`All ${all} rules were looked at, last on ${at}.`}{' '}
        {missing} {next}
      </Notice>
    )
  return (
    <Notice tone="alert" title={<Plural value={broken} one="# rule does not hold." other="# rules do not hold." />}>
      {t`Last checked on ${at}. Nothing was changed. Look at the rows below, correct what customers can see, and tell whoever runs this service.`}{' '}
      {missing} {next}
    </Notice>
  )
}

function Progress({ of: { status, rulesDone, rulesTotal, rowsLookedAt } }: { of: NonNullable<Checks['run']> }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const [done, total, rows] = [number(rulesDone), number(rulesTotal), number(rowsLookedAt)]
  return (
    <section className="section" aria-label={t`The check that is under way`} aria-live="polite">
      <Status tone="act" fill="half" live={status === 'RUNNING'}>
        {status === 'WAITING' ? t`Waits for its turn` : t`${done} of ${total} rules. Rows looked at: ${rows}`}
      </Status>
      <progress className="check-progress" value={rulesDone} max={rulesTotal} aria-label={t`Rules that are done`} />
    </section>
  )
}

function useWords() {
  const { i18n } = useLingui()
  return ({ rule, says }: Pick<CheckedRule, 'rule' | 'says'>) => {
    const words = AREAS.map(({ rules }) => rules[rule]).find((each) => each !== undefined)
    return words ? i18n._(words) : says
  }
}

function BrokenRule({ of: rule }: { of: CheckedRule }) {
  const { t } = useLingui()
  const words = useWords()(rule)
  return (
    <section className="section check-broken" data-rule={rule.rule}>
      <h2>
        <Status tone="alert">{words}</Status>
      </h2>
      <p className="note">
        <Plural value={rule.count} one="# row does not fit" other="# rows do not fit" />
        {rule.since !== null && (
          <>
            {', '}
            <Trans>
              since <When at={rule.since} />
            </Trans>
          </>
        )}
        . <code>{rule.rule}</code>
      </p>
      <ul className="check-rows" aria-label={t`Rows that do not fit`}>
        {rule.examples.map((example) => (
          <ExampleRow key={JSON.stringify(example)} of={example} />
        ))}
      </ul>
      {rule.count > rule.examples.length && <p className="note">{t`These are the first ${rule.examples.length}.`}</p>}
    </section>
  )
}

/** Before the first check nothing is known of any: that is said above, once. */
function AllRules({ items, isChecked }: { items: CheckedRule[]; isChecked: boolean }) {
  const { i18n, t } = useLingui()
  const wordsOf = useWords()
  const known = new Set(AREAS.flatMap(({ rules }) => Object.keys(rules)))
  const areas = AREAS.map(({ name, rules }) => ({
    name: i18n._(name),
    items: items.filter(({ rule }) => rule in rules),
  }))
  const others = { name: t`More`, items: items.filter(({ rule }) => !known.has(rule)) }
  return [...areas, others]
    .filter((area) => area.items.length > 0)
    .map((area) => (
      <section className="section" key={area.name}>
        <div className="section-head">
          <h2>{area.name}</h2>
        </div>
        <ul className="check-list">
          {area.items.map((item) => (
            <li key={item.rule} data-rule={item.rule}>
              <Status {...(item.holds ? { tone: 'good' as const } : { fill: 'unknown' as const })}>
                {wordsOf(item)}
              </Status>
              {isChecked && item.holds === null && <span className="soft check-unknown">{t`not known yet`}</span>}
            </li>
          ))}
        </ul>
      </section>
    ))
}
