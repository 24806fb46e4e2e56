import '../../orders/new-order/new-order.css'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Finder } from '../../orders/new-order/finder.tsx'
import { Button } from '../../ui/button.tsx'
import type { Entry } from '../queries.ts'
import { type Target, useTargetLink, useTargetName, useTargets } from './use-targets.tsx'

type Props = {
  label: ReactNode
  name: string
  value: string
  target: Target
  relations: Entry['relations']
  edited: boolean
  problem: string | undefined
  isLocked: boolean
  onChange: (id: string) => void
}

/** A record that the entry leads to: found by its name. */
export function RelationField({ label, name, value, target, relations, edited, problem, isLocked, onChange }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  /** The name of what was chosen just now is known before it is saved. */
  const [names, setNames] = useState<Record<string, string>>({})
  const { found, isSearching, reason, nameOf } = useTargets(target, text)
  const link = useTargetLink(target, value)
  const near = names[value] ?? nameOf(value) ?? relatedName(relations, target, value)
  const read = useTargetName(target, value, near === undefined && value !== '')
  const known = near ?? read ?? undefined
  return (
    <fieldset className={`relation ${edited ? 'edited' : ''}`}>
      <legend className="label">{label}</legend>
      {value === '' ? (
        isLocked ? (
          <p className="soft">–</p>
        ) : (
          <Finder
            label={name}
            placeholder={reason ?? t`Find by name`}
            {...{ text, found, isSearching }}
            onType={setText}
            onChoose={(id) => {
              const chosen = found.find((one) => one.id === id)
              if (chosen) setNames({ ...names, [id]: chosen.label })
              setText('')
              onChange(id)
            }}
          />
        )
      ) : (
        <p className="related">
          {link(known ?? value)}
          {near === undefined && read === null && <span className="note">{t`not to be seen, or gone`}</span>}
          {!isLocked && (
            <Button look="quiet small" icon={X} only={t`Take ${known ?? value} out`} onClick={() => onChange('')} />
          )}
        </p>
      )}
      {problem && <p className="problem">{problem}</p>}
    </fieldset>
  )
}

function relatedName(relations: Entry['relations'], target: Target, id: string): string | undefined {
  if (target === 'ORDER') return undefined
  const record = relations?.[target]?.[id] as
    | { name?: string; blocks?: { type: string; value?: unknown }[] }
    | undefined
  const first = record?.blocks?.find(({ type, value }) => type === 'TEXT' && typeof value === 'string')?.value
  return record && (record.name || (typeof first === 'string' ? first : undefined) || id)
}
