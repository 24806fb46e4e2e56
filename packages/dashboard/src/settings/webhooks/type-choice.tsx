import { Plural, useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { countOf, toggleEverything, toggleTopic, toggleType } from './choose.ts'
import { EVERYTHING, TOPIC_GROUPS, type Topic, wholeOf } from './topics.ts'
import { useLacks } from './words.tsx'

type Props = { types: readonly string[]; lacks: string | undefined; onChange: (types: string[]) => void }

/** What an endpoint is told of: by topic, and inside of one by what happens. Nobody passes on what they may not read. */
export function TypeChoice({ types, lacks, onChange }: Props) {
  const { t, i18n } = useLingui()
  const id = useId()
  const { ofEverything } = useLacks()
  const isAll = types.includes(EVERYTHING)
  const why = lacks ?? (isAll ? undefined : ofEverything)
  return (
    <div className="areas">
      <label className="choice" title={why}>
        <input
          type="checkbox"
          className="check"
          checked={isAll}
          disabled={why !== undefined}
          aria-describedby={id}
          onChange={() => onChange(toggleEverything(types))}
        />
        <span>
          {t`Everything`}
          <span className="note" id={id}>
            {why && !lacks ? why : t`Also what is added later.`}
          </span>
        </span>
      </label>
      {TOPIC_GROUPS.map(({ name, topics }) => (
        <fieldset key={name.id} className="topics">
          <legend className="label">{i18n._(name)}</legend>
          {topics.map((topic) => (
            <TopicChoice key={topic.id} {...{ topic, types, lacks, isAll, onChange }} />
          ))}
        </fieldset>
      ))}
    </div>
  )
}

function TopicChoice({ topic, types, lacks, isAll, onChange }: Props & { topic: Topic; isAll: boolean }) {
  const { t, i18n } = useLingui()
  const id = useId()
  const { ofTopic } = useLacks()
  const isWhole = isAll || types.includes(wholeOf(topic))
  const count = isWhole ? 0 : countOf(types, topic)
  const [isOpen, setOpen] = useState(count > 0)
  const missing = ofTopic(topic)
  const why = lacks ?? (isAll ? t`Is part of everything.` : missing)
  const name = i18n._(topic.name)
  const kinds = Object.entries(topic.types)
  return (
    <div className="topic">
      <div className="topic-line">
        <label className="choice" title={why}>
          <input
            ref={(box) => {
              if (box) box.indeterminate = count > 0
            }}
            type="checkbox"
            className={count > 0 ? 'check some' : 'check'}
            checked={isWhole}
            disabled={why !== undefined}
            onChange={() => onChange(toggleTopic(types, topic))}
          />
          <span>
            {name}
            {missing && !isAll && !lacks && <span className="note">{missing}</span>}
          </span>
        </label>
        <button
          type="button"
          className="button quiet small"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {count > 0 ? t`${count} of ${kinds.length}` : <Plural value={kinds.length} one="# kind" other="# kinds" />}
          <span className="unseen">: {name}</span>
          <Icon of={ChevronDown} />
        </button>
      </div>
      <ul id={id} hidden={!isOpen}>
        {kinds.map(([kind, words]) => {
          const type = `${topic.id}.${kind}`
          return (
            <li key={kind}>
              <label className="choice" title={why}>
                <input
                  type="checkbox"
                  className="check"
                  checked={isWhole || types.includes(type)}
                  disabled={why !== undefined}
                  onChange={() => onChange(toggleType(types, topic, type))}
                />
                <span>
                  {i18n._(words)} <code className="note">{type}</code>
                </span>
              </label>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
