import { useLingui } from '@lingui/react/macro'
import { ChevronDown, ChevronUp, GripVertical, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Block } from '../queries.ts'
import { useBlockNames } from '../words.tsx'
import { BlockSettings, useTargetNames } from './block-settings.tsx'
import { type BlockProblem, problemOf } from './schema.ts'

type Props = {
  block: Block
  /** Saved before: entries have values under its key. */
  isSaved: boolean
  isChanged: boolean
  isDragged: boolean
  isOpen: boolean
  lacks: string | undefined
  refusal: string | undefined
  onToggle: () => void
  onChange: (block: Block) => void
  onRemove: () => void
  onStep: (by: number) => void
  onGrab: (event: PointerEvent) => void
}

/** One field of the entries: its line, and what it can be held to when it is open. */
export function BlockRow(props: Props) {
  const { block, isSaved, isChanged, isDragged, isOpen, lacks, refusal, onToggle, onChange, onRemove, onStep } = props
  const { t } = useLingui()
  const types = useBlockNames()
  const targets = useTargetNames()
  const found = problemOf(block)
  // Nobody is told off for what they have not come to yet.
  const [begun, setBegun] = useState<readonly BlockProblem[]>(['id', 'bounds'])
  const isDue = isSaved || !isOpen || (found && begun.includes(found))
  const problem = isDue ? found : undefined
  const isLocked = lacks !== undefined
  const name = block.label || block.id
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!by || isLocked) return
    event.preventDefault()
    onStep(by)
  }
  const { targetType, variant } = block.settings ?? {}
  return (
    <li
      className={`block-row ${isDragged ? 'dragged' : ''} ${isChanged ? 'edited' : ''} ${isOpen ? 'open' : ''}`}
      data-block={block.id}
    >
      <div className="block-line">
        <button
          type="button"
          className="grip"
          aria-label={t`Move ${name}: arrow keys, or drag`}
          title={lacks ?? t`Drag, or move with the arrow keys`}
          aria-disabled={isLocked || undefined}
          onKeyDown={press}
          onPointerDown={(event) => !isLocked && props.onGrab(event)}
        >
          <Icon of={GripVertical} />
        </button>
        <button type="button" className="block-name" aria-expanded={isOpen} onClick={onToggle}>
          <span className="strong cut">{name}</span>
          <span className="soft hide-phone">
            {targetType ? targets[targetType] : variant === 'HTML' ? t`Rich text` : types[block.type]}
          </span>
          {block.required && <span className="badge">{t`required`}</span>}
          {!isSaved && <span className="badge wait">{t`new`}</span>}
          {(problem ?? refusal) && <span className="badge alert">{t`not right yet`}</span>}
          <Icon of={isOpen ? ChevronUp : ChevronDown} />
        </button>
      </div>
      {isOpen && (
        <div className="block-form">
          <Field
            label={t`Label`}
            value={block.label ?? ''}
            maxLength={200}
            disabled={isLocked}
            problem={problem === 'label' ? t`Give it a name that writers understand.` : refusal}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was added just now
            autoFocus={!isSaved && !block.label}
            onChange={({ target }) => {
              setBegun((before) => [...before, 'label'])
              onChange({ ...block, label: target.value })
            }}
          />
          <Field
            label={t`Key`}
            value={block.id}
            spellCheck={false}
            maxLength={64}
            readOnly={isSaved}
            disabled={isLocked}
            problem={problem === 'id' ? t`Letters, digits, _ and - only.` : undefined}
            hint={isSaved ? t`Shops read it by this key, so it stays.` : t`Shops read it by this key.`}
            onChange={({ target }) => onChange({ ...block, id: target.value })}
          />
          <Field label={t`Kind`} value={types[block.type]} readOnly disabled={isLocked} />
          <BlockSettings
            {...{ block, isLocked, problem }}
            onChange={(settings) => {
              setBegun((before) => [...before, 'options'])
              const { settings: _before, ...rest } = block
              onChange(Object.keys(settings).length > 0 ? { ...rest, settings } : rest)
            }}
          />
          <label className="choice">
            <input
              type="checkbox"
              className="check"
              checked={block.required ?? false}
              disabled={isLocked}
              onChange={({ target }) => {
                const { required: _before, ...rest } = block
                onChange(target.checked ? { ...rest, required: true } : rest)
              }}
            />
            <span>{t`Required before an entry is published`}</span>
          </label>
          <div className="acts">
            <Button look="destroy" icon={Trash2} reason={lacks} onClick={onRemove}>{t`Take out`}</Button>
          </div>
        </div>
      )}
    </li>
  )
}
