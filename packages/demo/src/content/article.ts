import type { MotifName } from '../images/draw.ts'

export const TOPICS = ['Workshop', 'People', 'Kitchen', 'Voyages'] as const

/** In one language, or in both that the business speaks. */
export type Words = string | { en: string; de: string }

export type Article = {
  slug: string
  /** Days after the business was made. */
  day: number
  topic: (typeof TOPICS)[number]
  title: Words
  summary: Words
  /** HTML. */
  body: Words
  cover: { motif: MotifName; seed: string }
  /** The slug of a product that it tells of. */
  product?: string
  tags: readonly string[]
  isFeatured?: boolean
}

export const TAGS = ['Care', 'Craft', 'Harbour', 'How to', 'Materials', 'Recipe', 'Season'] as const
