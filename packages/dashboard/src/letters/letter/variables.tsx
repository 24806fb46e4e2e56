import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { toWritten, useVariableHint, useVariableNames } from '../../content/variable-words.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { variablesQuery } from '../queries.ts'

/** What differs from reader to reader, to be written into the text. */
export function Variables({ locale }: { locale: string }) {
  const { t } = useLingui()
  const names = useVariableNames()
  const hintOf = useVariableHint()
  const { data } = useQuery({ ...variablesQuery(), staleTime: Number.POSITIVE_INFINITY })
  if (!data) return null
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text)
    toast(t`Copied: ${text}`)
  }
  return (
    <details className="section variables">
      <summary>
        <h2>{t`Variables`}</h2>
        <span className="note">{t`what each reader gets in their place`}</span>
      </summary>
      <dl>
        {data.variables.map(({ name: key, description, example }) => {
          const name = names[key] ?? key
          return (
            <div key={key}>
              <dt>
                {name}
                {hintOf(key) && <span className="note">{hintOf(key)}</span>}
                <Button
                  look="quiet small"
                  icon={Copy}
                  only={t`Copy ${name}`}
                  onClick={() => void copy(toWritten(key, locale))}
                />
              </dt>
              <dd className="soft">
                <span lang="en">{description}</span> <span className="note">{t`For example: ${example}`}</span>
              </dd>
            </div>
          )
        })}
      </dl>
    </details>
  )
}
