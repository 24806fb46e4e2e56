import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'

/** One catalogue for each part, so that two people who write two screens do not meet in one file. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [{ path: '<rootDir>/src/{name}/locales/{locale}', include: ['<rootDir>/src/{name}/'] }],
  format: formatter({ origins: false, printPlaceholdersInComments: false }),
  orderBy: 'message',
})
