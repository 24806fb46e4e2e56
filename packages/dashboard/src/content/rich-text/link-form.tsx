import { useLingui } from '@lingui/react/macro'
import type { Editor } from '@tiptap/core'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { isLink, toLink } from './address.ts'

/** Where the chosen words lead. Without any, the address itself is written. */
export function LinkForm({ editor, onDone }: { editor: Editor; onDone: () => void }) {
  const { t } = useLingui()
  const before = editor.getAttributes('link') as { href?: string; title?: string | null; target?: string | null }
  const [typed, setTyped] = useState(before.href ?? '')
  const [isApart, setIsApart] = useState(before.target === '_blank')
  const href = toLink(typed)
  const isWrong = typed.trim() !== '' && !isLink(href)
  const set = () => {
    if (typed.trim() === '' || isWrong) return
    const attributes = { href, title: before.title ?? null, target: isApart ? '_blank' : null }
    const { empty } = editor.state.selection
    const chain = editor.chain().focus()
    if (empty && !before.href)
      chain.insertContent({ type: 'text', text: typed.trim(), marks: [{ type: 'link', attrs: attributes }] }).run()
    else chain.extendMarkRange('link').setMark('link', attributes).run()
    onDone()
  }
  return (
    <form
      className="tool-form"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        set()
      }}
    >
      <Field
        label={t`Leads to`}
        placeholder="https://"
        autoComplete="off"
        value={typed}
        problem={isWrong ? t`An address such as https://example.com, mailto: or tel:.` : undefined}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
        autoFocus
        onChange={({ target }) => setTyped(target.value)}
      />
      <label className="choice">
        <input
          type="checkbox"
          className="check"
          checked={isApart}
          onChange={({ target }) => setIsApart(target.checked)}
        />
        <span>{t`Opens beside the page`}</span>
      </label>
      <div className="acts">
        {before.href && (
          <Button
            look="quiet"
            onClick={() => {
              editor.chain().focus().extendMarkRange('link').unsetMark('link').run()
              onDone()
            }}
          >{t`Take the link off`}</Button>
        )}
        <Button
          look="main"
          type="submit"
          reason={typed.trim() === '' || isWrong ? t`Type an address first.` : undefined}
        >
          {t`Set the link`}
        </Button>
      </div>
    </form>
  )
}
