import { chooseLanguage, useLanguage } from '../state/content.ts'

export function Languages() {
  const { locales, language } = useLanguage()
  if (locales.length < 2) return null
  return (
    <select
      class="languages"
      aria-label="Language"
      value={language}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
    >
      {locales.map((locale) => (
        <option key={locale} value={locale}>
          {new Intl.DisplayNames([locale], { type: 'language' }).of(locale)}
        </option>
      ))}
    </select>
  )
}
