import { useLingui } from '@lingui/react/macro'

/** Variables with their names for people. */
export function useVariableNames(): Record<string, string> {
  const { t } = useLingui()
  return {
    'subscriber.name': t`Name of the reader`,
    'subscriber.email': t`Address of the reader`,
    'business.name': t`Name of the business`,
    'newsletter.name': t`Name of the newsletter`,
    'goods.names': t`Names of the products`,
    'goods.url': t`Address of the products`,
    unsubscribeUrl: t`Address to unsubscribe`,
  }
}

/** What is to be known before one is put in. */
export function useVariableHint() {
  const { t } = useLingui()
  return (name: string): string | undefined =>
    name.startsWith('goods.') ? t`empty in letters sent by hand` : undefined
}

/** What stands for a variable in the text: `Name of the reader, or “friend”`. Undefined: it is shown as it is written. */
export function useChipWords() {
  const { t } = useLingui()
  const names = useVariableNames()
  return (written: string): string | undefined => {
    const [, name = '', nameless] = /^([\w.]+)(?:\s*\|\s*default:\s*["']([^"']*)["'])?$/.exec(written) ?? []
    const label = names[name]
    return label && nameless ? t`${label}, or “${nameless}”` : label
  }
}

/** How readers are called who did not say their name, by the language of the text. */
const NAMELESS: Record<string, string> = { de: 'liebe Leserin, lieber Leser' }

/** As it is put into a text. A name may be empty: nobody is to read “Dear ,”. */
export function toWritten(name: string, locale = 'en'): string {
  const nameless = NAMELESS[locale.split('-')[0] ?? ''] ?? 'friend'
  return name === 'subscriber.name' ? `{{ ${name} | default: "${nameless}" }}` : `{{ ${name} }}`
}
