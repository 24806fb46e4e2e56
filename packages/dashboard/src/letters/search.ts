import { oneOf, type Search, wordOf } from '../shell/search.ts'

// Only types are imported from here but by the routes: the first load has this file, and no other of this part.
const PARTS = ['sent', 'failed', 'suppressed', 'uncertain', 'planned'] as const
export type Part = (typeof PARTS)[number]

const LOOKS = ['phone', 'dark', 'text'] as const
export type Look = (typeof LOOKS)[number]

const STATUSES = ['ACTIVE', 'PENDING', 'PAST_DUE', 'CANCELLED'] as const
export type ReaderStatus = (typeof STATUSES)[number]

const SET_UP = ['WELCOME', 'CHECKOUT_UNFINISHED', 'BACK_IN_STOCK'] as const
export type SetUp = (typeof SET_UP)[number]

/** Which newsletter; the first if none is named. And which letter that goes out by itself is being set up. */
export type LettersSearch = { newsletter?: string | undefined; set?: SetUp | undefined }
export const readLettersSearch = (search: Search): LettersSearch => ({
  newsletter: wordOf(search.newsletter),
  set: oneOf(search.set, SET_UP),
})

/** How the preview is looked at. None: on a desktop, by daylight. */
export type LetterSearch = { as?: Look | undefined }
export const readLetterSearch = (search: Search): LetterSearch => ({ as: oneOf(search.as, LOOKS) })

/** Which of the readers. */
export type SendSearch = { show?: Part | undefined; email?: string | undefined }
export const readSendSearch = (search: Search): SendSearch => ({
  show: oneOf(search.show, PARTS),
  email: wordOf(search.email),
})

export type ReadersSearch = {
  status?: ReaderStatus | undefined
  email?: string | undefined
  do?: 'add' | 'import' | undefined
  /** The import that is watched. */
  import?: string | undefined
}
export const readReadersSearch = (search: Search): ReadersSearch => ({
  status: oneOf(search.status, STATUSES),
  email: wordOf(search.email),
  do: oneOf(search.do, ['add', 'import']),
  import: wordOf(search.import),
})
