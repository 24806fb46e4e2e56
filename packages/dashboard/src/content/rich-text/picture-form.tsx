import { useLingui } from '@lingui/react/macro'
import type { Editor } from '@tiptap/core'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { isPicture } from './address.ts'

/** A picture by its address, with words for who does not see it. */
export function PictureForm({ editor, onDone }: { editor: Editor; onDone: () => void }) {
  const { t } = useLingui()
  const before = editor.getAttributes('image') as { src?: string | null; alt?: string | null }
  const [src, setSrc] = useState(before.src ?? '')
  const [alt, setAlt] = useState(before.alt ?? '')
  const address = src.trim()
  const isWrong = address !== '' && !(isPicture(address) && /^https?:/i.test(address))
  const set = () => {
    if (address === '' || isWrong) return
    const attributes = { src: address, alt }
    if (before.src) editor.chain().focus().updateAttributes('image', attributes).run()
    else editor.chain().focus().insertContent({ type: 'image', attrs: attributes }).run()
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
        label={t`Address of the picture`}
        placeholder="https://"
        autoComplete="off"
        value={src}
        problem={isWrong ? t`A whole address, such as https://example.com/boat.jpg.` : undefined}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
        autoFocus
        onChange={({ target }) => setSrc(target.value)}
      />
      <Field
        label={t`What it shows, in words`}
        hint={t`Empty: it is only for the eye.`}
        autoComplete="off"
        value={alt}
        onChange={({ target }) => setAlt(target.value)}
      />
      <div className="acts">
        <Button look="main" type="submit" reason={address === '' || isWrong ? t`Type an address first.` : undefined}>
          {before.src ? t`Change the picture` : t`Insert the picture`}
        </Button>
      </div>
    </form>
  )
}
