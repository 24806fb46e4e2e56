import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { originOf } from './shop-form.ts'

type Props = { origins: string[]; problem: string | undefined; onChange: (origins: string[]) => void }

/** Sites that may speak for the shop: checkouts lead back to them, and browsers may call from them. */
export function OriginsField({ origins, problem, onChange }: Props) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const origin = originOf(typed)
  const reason =
    typed.trim() === ''
      ? t`Type an address first.`
      : !origin
        ? t`This is no address such as https://shop.example.com.`
        : origins.includes(origin)
          ? t`Already added`
          : undefined
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (!origin || reason) return
    onChange([...origins, origin])
    setTyped('')
  }
  return (
    <fieldset className="field">
      <legend className="label">{t`Addresses of the shop`}</legend>
      {origins.length > 0 && (
        <ul className="kept">
          {origins.map((one) => (
            <li key={one}>
              <code className="grow">{one}</code>
              <Button
                look="quiet small"
                icon={X}
                only={t`Remove ${one}`}
                onClick={() => onChange(origins.filter((other) => other !== one))}
              />
            </li>
          ))}
        </ul>
      )}
      <form className="adder" onSubmit={add}>
        <input
          className="input"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          aria-label={t`Another address of the shop`}
          placeholder="https://shop.example.com"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" icon={Plus} reason={reason}>{t`Add`}</Button>
      </form>
      {problem && <p className="problem">{problem}</p>}
      <p className="note">
        {t`Only from these may browsers use the shop's data with a sign-in, and only there does a checkout lead back to. Scheme and host are enough; the rest is left out.`}
      </p>
    </fieldset>
  )
}
