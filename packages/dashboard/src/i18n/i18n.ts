import { i18n, type Messages } from '@lingui/core'
import { compileMessage } from '@lingui/message-utils/compileMessage'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const KEY = 'kontor:language'

// English stands in the code, uncompiled; other languages come as compiled catalogues.
i18n.setMessagesCompiler(compileMessage)

const isLanguage = (word: string | null | undefined): word is Language =>
  word !== null && word !== undefined && word in LANGUAGES

export function chosenLanguage(): Language {
  const kept = localStorage.getItem(KEY)
  if (isLanguage(kept)) return kept
  const spoken = navigator.languages.map((tag) => tag.split('-')[0]).find((word) => isLanguage(word))
  return isLanguage(spoken) ? spoken : 'en'
}

/** The tag by which dates and figures are written: that of the browser if it is of the chosen language. */
export function localeOf(language: string): string {
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? (language === 'en' ? 'en-GB' : language)
}

type Words = () => Promise<{ messages: Messages }>

/** German of parts that were opened, and that few open: it comes with them. */
const later = new Set<Words>()

/** A screen that has its words by itself: both are waited for. */
export async function withWords<Screen>(screen: Promise<Screen>, german: Words): Promise<Screen> {
  later.add(german)
  if (i18n.locale === 'de') i18n.load('de', (await german()).messages)
  return screen
}

async function readGerman(): Promise<Messages> {
  const [{ messages }, ...parts] = await Promise.all([import('./german.ts'), ...[...later].map((read) => read())])
  return Object.assign({}, messages, ...parts.map((part) => part.messages))
}

export async function activate(language: Language): Promise<void> {
  const messages = language === 'en' ? {} : await readGerman()
  i18n.loadAndActivate({ locale: language, messages })
  document.documentElement.lang = language
}

export async function choose(language: Language): Promise<void> {
  localStorage.setItem(KEY, language)
  await activate(language)
}
