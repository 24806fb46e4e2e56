import './bulk-edits.css'
import { Plural, useLingui } from '@lingui/react/macro'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FlaskConical, Plus } from 'lucide-react'
import { useState } from 'react'
import { useAsk } from '../outbox/use-outbox.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Crumbs } from './crumbs.tsx'
import { Earlier } from './earlier.tsx'
import { RuleLine } from './rule-line.tsx'
import { changesOf, emptyRule, type Rule, ruleFor } from './rules.ts'
import { selectOf } from './search.ts'
import { useSelected } from './words.tsx'

const route = getRouteApi('/signed-in/$business/bulk-edits/new')
const MOST_RULES = 5

/** What is to be changed, of which products. The address says which; the service then tries it. */
export function NewBulkEditPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = useNavigate()
  const ask = useAsk()
  const selectedOf = useSelected()
  const select = selectOf(route.useSearch())
  const [rules, setRules] = useState<Rule[]>(() => [emptyRule(business.markets)])
  const [error, setError] = useState<unknown>()
  const [isAsking, setIsAsking] = useState(false)
  usePageTitle(t`Bulk edit`)

  const said = rules.map((rule) => changesOf(rule, business.markets))
  const changes = said.flatMap((each) => each ?? [])
  const reason = isAsking
    ? t`Starting…`
    : said.includes(undefined)
      ? t`Enter a change, for example +5% and .90.`
      : undefined
  const tryIt = async () => {
    if (reason) return
    setIsAsking(true)
    setError(undefined)
    try {
      const body = { list: 'products' as const, select, changes }
      const made = await ask({ operation: 'createBulkEdit', input: { body }, label: t`Try a bulk edit` })
      void navigate({ to: '/$business/bulk-edits/$edit', params: { business: addressOf(business), edit: made.id } })
    } catch (cause) {
      setError(cause)
      setIsAsking(false)
    }
  }
  useCommands([
    {
      id: 'try-bulk-edit',
      label: t`Try the bulk edit`,
      keys: 'mod+Enter',
      icon: FlaskConical,
      reason,
      run: () => void tryIt(),
    },
  ])
  const of = (
    <span>
      {'ids' in select ? (
        <Plural value={select.ids.length} one="of # product" other="of # products" />
      ) : Object.keys(select.filters).length === 0 ? (
        t`of all products`
      ) : (
        t`of products with ${selectedOf(select.filters)}`
      )}
    </span>
  )
  return (
    <form
      className="bulk-edit"
      onSubmit={(event) => {
        event.preventDefault()
        void tryIt()
      }}
    >
      <header className="head">
        <Crumbs />
        <h1>{t`New bulk edit`}</h1>
        <p className="facts-line soft hide-phone">{t`First it is only tried: you see every change before anything is written`}</p>
        <div className="acts">
          <Button look="main" type="submit" reason={reason}>{t`Try it`}</Button>
        </div>
      </header>
      <div className="rules">
        {rules.map((rule, index) => (
          <RuleLine
            // oxlint-disable-next-line react/no-array-index-key -- lines have nothing else
            key={index}
            rule={rule}
            of={index === 0 ? of : undefined}
            isFirst={index === 0}
            onChange={(next) => setRules(rules.with(index, next))}
            onRemove={() => setRules(rules.toSpliced(index, 1))}
          />
        ))}
        <p className="note">
          {t`.90 rounds to the nearest price that ends in .90, and 9.90 to one that ends in 9.90. Planned prices stay as they are.`}
        </p>
        {rules.length < MOST_RULES && (
          <Button
            look="quiet small"
            icon={Plus}
            onClick={() => setRules([...rules, ruleFor('tags')])}
          >{t`Another change`}</Button>
        )}
      </div>
      {error !== undefined && (
        <div className="page">
          <Problem error={error} kept={t`Nothing was tried, and nothing changed.`} />
        </div>
      )}
      <Earlier />
    </form>
  )
}
