// Loaded together: each file more would cost the first load of everybody its name.
export { LetterPage } from './letter/letter-page.tsx'
export { LettersPage } from './letters-page.tsx'
export { ReadersPage } from './readers/readers-page.tsx'
export { SuppressionsPage } from './readers/suppressions-page.tsx'
export { SendPage } from './send/send-page.tsx'
export { LettersSettingsPage } from './settings/settings-page.tsx'
