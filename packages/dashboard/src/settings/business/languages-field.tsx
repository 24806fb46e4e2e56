import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Status } from '../../ui/status.tsx'
import { useLanguageNames } from './use-language-names.ts'

/** Those that are chosen most; any other is typed. */
const COMMON =
  'en en-GB en-US de de-AT de-CH fr fr-CH es it nl pl pt pt-BR sv da nb fi cs sk hu ro bg el tr uk ja ko zh-Hans ar he'.split(
    ' ',
  )

type Props = {
  locales: string[]
  first: string
  problem: string | undefined
  onChange: (changes: { locales?: string[]; defaultLocale?: string }) => void
}

/** Languages of products, content and mails; one of them comes first. */
export function LanguagesField({ locales, first, problem, onChange }: Props) {
  const { t } = useLingui()
  const id = useId()
  const nameOf = useLanguageNames()
  const [typed, setTyped] = useState('')
  const code = codeOf(typed)
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (!code || locales.includes(code)) return
    onChange({ locales: [...locales, code] })
    setTyped('')
  }
  const remove = (locale: string) => {
    const left = locales.filter((one) => one !== locale)
    onChange({ locales: left, ...(first === locale && left[0] ? { defaultLocale: left[0] } : {}) })
  }
  const reason =
    typed.trim() === ''
      ? t`Choose a language first.`
      : !code
        ? t`This is no language such as de or de-CH.`
        : locales.includes(code)
          ? t`Already added`
          : undefined
  return (
    <fieldset className="field">
      <legend className="label">{t`Languages`}</legend>
      <ul className="kept">
        {locales.map((locale) => (
          <li key={locale}>
            <span className="grow">{nameOf(locale)}</span>
            {locale === first ? (
              <Status tone="act">{t`comes first`}</Status>
            ) : (
              <Button look="quiet small" onClick={() => onChange({ defaultLocale: locale })}>
                {t`Put first`}
                <span className="unseen">: {nameOf(locale)}</span>
              </Button>
            )}
            <Button
              look="quiet small"
              icon={X}
              only={t`Remove ${nameOf(locale)}`}
              reason={locales.length === 1 ? t`A business has one language at least.` : undefined}
              onClick={() => remove(locale)}
            />
          </li>
        ))}
      </ul>
      <form className="adder" onSubmit={add}>
        <input
          className="input"
          list={id}
          aria-label={t`Another language`}
          placeholder={t`Another language`}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id={id}>
          {COMMON.filter((one) => !locales.includes(one)).map((one) => (
            <option key={one} value={one}>
              {nameOf(one)}
            </option>
          ))}
        </datalist>
        <Button type="submit" icon={Plus} reason={reason}>{t`Add`}</Button>
      </form>
      {problem && <p className="problem">{problem}</p>}
      <p className="note">
        {t`Texts are written in these. Where one is missing, the first language is shown; mails and sums are written in it.`}
      </p>
    </fieldset>
  )
}

/** As the service spells it; undefined where it is none. */
function codeOf(typed: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(typed.trim())[0]
  } catch {
    return undefined
  }
}
