import { useLingui } from '@lingui/react'
import { useMemo } from 'react'

/** `German (de)`, in the language of the reader. */
export function useLanguageNames(): (locale: string) => string {
  const { i18n } = useLingui()
  const names = useMemo(() => new Intl.DisplayNames([i18n.locale], { type: 'language' }), [i18n.locale])
  return (locale) => {
    try {
      const name = names.of(locale)
      return name && name !== locale ? `${name} (${locale})` : locale
    } catch {
      return locale // somebody is still typing it
    }
  }
}
