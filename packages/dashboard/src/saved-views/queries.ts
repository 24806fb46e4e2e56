import type { Answer } from '@kontor/sdk'
import { query } from '../api/query.ts'

export type SavedView = Answer<'getSavedView'>

/** What a view keeps of a list. */
export type ViewState = Pick<SavedView, 'filters' | 'columns'>

const MOST_SHOWN = 100

/** One's own, and those that colleagues have shared. */
export const savedViewsQuery = (businessId: string, list: SavedView['list']) =>
  query(businessId, 'listSavedViews', { query: { list, limit: MOST_SHOWN } })
