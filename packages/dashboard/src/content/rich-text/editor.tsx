import './rich-text.css'
import type { Editor } from '@tiptap/core'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useLatest } from '../../ui/use-latest.ts'
import { useChipWords } from '../variable-words.ts'
import { createEditor, setHtml } from './create.ts'
import { Toolbar } from './toolbar.tsx'

type Props = {
  label: ReactNode
  name: string
  lang: string | undefined
  value: string
  edited: boolean
  isRequired: boolean
  problem: string | undefined
  hint: string | undefined
  isLocked: boolean
  /** What can be written of each reader; undefined: it is no letter. */
  variables?: readonly Variable[] | undefined
  onChange: (html: string) => void
}

export type Variable = { name: string; label: string; hint: string | undefined }

/** A text with headings, lists, links, pictures and tables: what the service keeps, and nothing else. */
export function RichText(props: Props) {
  const { label, name, lang, value, edited, isRequired, problem, hint, isLocked, variables, onChange } = props
  const hasVariables = variables !== undefined
  const chipOf = useLatest(useChipWords())
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor>()
  /** What was told last: anything else came from outside. */
  const told = useRef(value)
  const tell = useLatest((html: string) => {
    told.current = html
    onChange(html)
  })
  useEffect(() => {
    const made = createEditor({
      element: place.current,
      html: told.current,
      isEditable: !isLocked,
      hasVariables,
      chipOf,
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': name,
        ...(isRequired && { 'aria-required': 'true' }),
        ...(lang && { lang }),
        ...(isLocked && { 'aria-readonly': 'true', tabindex: '0' }),
      },
      onChange: tell,
    })
    setEditor(made)
    return () => {
      setEditor(undefined)
      made.destroy()
    }
  }, [isLocked, isRequired, lang, name, hasVariables, chipOf, tell])
  useEffect(() => {
    if (!editor || value === told.current) return
    told.current = value
    setHtml(editor, value)
  }, [editor, value])
  return (
    <div className="field">
      <span className="label" id={`${id}-label`}>
        {label}
      </span>
      <div className={`rich ${edited ? 'edited' : ''} ${problem ? 'wrong' : ''} ${isLocked ? 'locked' : ''}`}>
        {!isLocked && <Toolbar {...{ editor, name, lang, variables }} />}
        <div className="rich-body" ref={place} />
      </div>
      {problem && <p className="problem">{problem}</p>}
      {hint && <p className="note">{hint}</p>}
    </div>
  )
}
